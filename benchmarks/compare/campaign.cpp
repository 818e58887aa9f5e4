#include "benchmarks/compare/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "benchmarks/compare/bounds.hpp"
#include "benchmarks/compare/case_table.hpp"
#include "benchmarks/compare/document.hpp"
#include "benchmarks/compare/scratch_folder.hpp"
#include "benchmarks/compare/trip.hpp"
#include "benchmarks/environment/measured_machine.hpp"
#include "benchmarks/progress/progress.hpp"
#include "benchmarks/suite/output/result_file.hpp"

namespace tutti::bench {

namespace {

// A peer that took too long in so many cases of a number of ranks is left out of the following cases.
constexpr int kPatience = 3;
constexpr double kLimitsTimeoutSeconds = 60.0;
// Of waiting for the machine to be in its usual mode again, in all.
constexpr double kPatienceSeconds = 300.0;

// The yardsticks, measured now; empty if no case uses them or if they cannot be measured.
std::vector<record::Limit> measure_limits(const std::vector<Case>& cases, const Contender& own)
{
    if (std::ranges::none_of(cases, may_be_bounded))
        return {};
    const ScratchFolder scratch;
    const std::string file = (scratch / "limits.json").string();
    const std::vector<std::string> command = {own.benchmark.string(), "limits", "--yardsticks", "--json",
                                              file};
    const Outcome outcome = run_program(command, {}, kLimitsTimeoutSeconds);
    if (outcome.good())
        return read_limits(file);
    if (!outcome.interrupted)
        fmt::print(stderr, "no limits of this machine: {}", describe_failure(command, outcome));
    return {};
}

std::string counted(std::size_t number, const char* thing)
{
    return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

class Comparison {
public:
    Comparison(const CompareOptions& options, const std::vector<Case>& cases,
               const std::vector<Contender>& contenders)
        : options_(options),
          cases_(cases),
          contenders_(contenders),
          limits_(options.choice.quick ? std::vector<record::Limit>{}
                                       : measure_limits(cases, contenders.front())),
          modes_(trip_ns, options.choice.quick ? 0.0 : kPatienceSeconds),
          document_(comparison_document(options.command, options.thoroughness.rounds, limits_)),
          progress_(steps())
    {
        if (modes_.usual_ns()) {
            document_["trip_ns"] = *modes_.usual_ns();
            fmt::print("# A cache line takes {:.0f} ns from core to core; runs wait until it does so again\n",
                       *modes_.usual_ns());
        }
        for (const Contender& contender : contenders)
            document_["settings"][contender.name] = text_of(contender.settings);
        save();
    }

    int run()
    {
        for (const Case& one : cases_) {
            if (Interruptible::signal() != 0)
                break;
            std::vector<Contender> taking_part = taking_part_in(one);
            CaseResult result = measure_case(
                one, taking_part, options_.choice.hosts, options_.thoroughness,
                [&](const Contender& contender, int round) {
                    progress_.next(fmt::format("{}, {}, round {}", one.name(), contender.title, round + 1));
                },
                one.hosts == 1 ? &modes_ : nullptr);
            excuse_left_out(one, result);
            report(std::move(result));
        }
        conclude();
        if (Interruptible::signal() != 0)
            return 128 + Interruptible::signal();
        return failed_runs_ == 0 ? 0 : 1;
    }

private:
    int steps() const
    {
        std::size_t steps = 0;
        for (const Case& one : cases_)
            steps += taking_part_in(one).size() * static_cast<std::size_t>(options_.thoroughness.rounds);
        return static_cast<int>(steps);
    }

    bool left_out(const Contender& contender, const Case& one) const
    {
        if (contender.is_tutti())  // the library that the comparison is about
            return false;
        const auto found = overdue_.find({contender.name, one.ranks});
        return found != overdue_.end() && found->second >= kPatience;
    }

    std::vector<Contender> taking_part_in(const Case& one) const
    {
        std::vector<Contender> taking_part;
        for (const Contender& contender : contenders_) {
            if (contender.offers(one.benchmark) && !left_out(contender, one))
                taking_part.push_back(contender);
        }
        return taking_part;
    }

    void excuse_left_out(const Case& one, CaseResult& result)
    {
        for (const Contender& contender : contenders_) {
            if (contender.offers(one.benchmark) && left_out(contender, one))
                result.failures.push_back(
                    {contender.name,
                     fmt::format("left out: it took too long in {} cases of {} ranks", kPatience, one.ranks),
                     true});
        }
    }

    void report(CaseResult result)
    {
        progress_.erase();
        std::vector<Contender> asked;
        std::copy_if(contenders_.begin(), contenders_.end(), std::back_inserter(asked),
                     [&](const Contender& contender) { return contender.offers(result.which.benchmark); });
        std::vector<std::string> names;
        for (const Contender& contender : asked)
            names.push_back(contender.name);
        for (const Failure& failure : result.failures) {
            if (failure.timed_out)
                ++overdue_[{failure.library, result.which.ranks}];
            if (failure.excused)
                continue;
            ++failed_runs_;
            fmt::print(stderr, "{}: {}: {}\n", result.which.name(), failure.library, failure.message);
        }
        fmt::print("{}{}", case_table(result, asked, limits_, options_.goals), modes_text(result, modes_));
        std::fflush(stdout);
        document_["cases"].push_back(case_document(result, names, limits_));
        save();
        results_.push_back(std::move(result));
    }

    // After each case: the results so far survive an interruption.
    void save() const { write_result("--json", options_.json_file, document_.dump(2) + "\n"); }

    void conclude() const
    {
        Score score, allocated;
        for (const CaseResult& result : results_) {
            for (const RowName& name : result.order) {
                for (const std::string_view own : own_columns(result))
                    (own == kAllocated ? allocated : score).count(judge(result, name, limits_, own));
            }
        }
        const auto say = [](const char* what, const Score& one) {
            fmt::print("# {}: {} rows faster, {} the same, {} slower; {} undecided\n", what, one.faster,
                       one.same, one.slower, one.undecided);
        };
        fmt::print("\n");
        score.beyond_limit += allocated.beyond_limit;
        admit(score.beyond_limit);
        say("Beside the best peer, beyond noise", score);
        if (options_.choice.memory == "both")
            say("Out of tutti::allocate", allocated);
        fmt::print("{}", slower_rows(results_, limits_));
        if (options_.goals)
            say_goals(score, allocated);
        if (failed_runs_ > 0)
            fmt::print("# {} failed\n", counted(failed_runs_, "run"));
        if (options_.choice.quick)
            fmt::print("# --quick: the figures mean nothing\n");
        if (Interruptible::signal() != 0)
            fmt::print("# Interrupted: {} of {} cases\n", results_.size(), cases_.size());
    }

    // What the figures are to be read with, before any of them is summed up.
    void admit(int beyond_limit) const
    {
        double share = 0.0;
        std::size_t runs = 0, in_other_mode = 0;
        for (const CaseResult& result : results_) {
            share = std::max(share, result.others_share);
            for (const auto& [library, trips] : result.trips_ns) {
                runs += trips.size();
                in_other_mode += static_cast<std::size_t>(std::ranges::count_if(
                    trips, [&](const auto& trip) { return !modes_.is_usual(trip.second); }));
            }
        }
        fmt::print("# Other programs had up to {:.0f} % of the cores\n", 100 * share);
        if (in_other_mode > 0)
            fmt::print(
                "# {} of {} in another mode of the machine than at the beginning: see under the tables\n",
                in_other_mode, counted(runs, "run"));
        if (beyond_limit > 0)
            fmt::print("# {} beyond the limit: something else ran while limits were measured\n",
                       counted(static_cast<std::size_t>(beyond_limit), "row"));
    }

    void say_goals(const Score& score, const Score& allocated) const
    {
        fmt::print("# {} of {} goals met\n", score.met, score.goals);
        if (options_.choice.memory == "both")
            fmt::print("# {} of {} goals met out of tutti::allocate\n", allocated.met, allocated.goals);
        if (const std::optional<double> ratio = median_of_collectives(results_, limits_))
            fmt::print(
                "# Collectives out of ordinary memory, a core a rank: median ratio {:.2f}, goal <= {:.2f}: "
                "{}\n",
                *ratio, kMedianOfCollectives, *ratio <= kMedianOfCollectives ? "met" : "MISSED");
        fmt::print("{}", missed_goals(results_, limits_));
        if (const std::string falls = cliffs(results_); !falls.empty())
            fmt::print("# Bandwidths that fall by more than {:.0f} % from one size to the next larger:\n{}",
                       100 * kMostFall, falls);
    }

    const CompareOptions& options_;
    const std::vector<Case>& cases_;
    const std::vector<Contender>& contenders_;
    std::vector<record::Limit> limits_;
    Modes modes_;
    nlohmann::json document_;
    std::vector<CaseResult> results_;
    std::map<std::pair<std::string, int>, int>
        overdue_;  // by library and ranks: cases in which it took too long
    std::size_t failed_runs_ = 0;
    ProgressLine progress_;  // last: the other members give its number of steps
};

std::string duration(double seconds)
{
    return seconds < 90 ? fmt::format("{:.0f} seconds", std::ceil(seconds))
                        : fmt::format("{:.0f} minutes", std::ceil(seconds / 60));
}

void introduce(const CompareOptions& options, const std::vector<Case>& cases,
               const std::vector<Contender>& contenders)
{
    std::vector<std::string> titles;
    for (const Contender& contender : contenders)
        titles.push_back(contender.title);
    fmt::print("# {}: {}, {} of each; load of the machine before: {}\n", fmt::join(titles, "; "),
               counted(cases.size(), "case"),
               counted(static_cast<std::size_t>(options.thoroughness.rounds), "interleaved round"),
               load_text());
    for (const Contender& contender : contenders) {
        const std::string text = text_of(contender.settings);
        if (!text.empty() || contender.name.find('/') != std::string::npos)
            fmt::print("# {} ({}): {}\n", contender.title, contender.name, text.empty() ? "as it is" : text);
    }
    fmt::print(
        "# About {}; a run that takes longer than {:g} s is ended\n",
        duration(estimate_seconds(cases, contenders, options.thoroughness.rounds, options.choice.seconds)),
        options.thoroughness.timeout_seconds);
    fmt::print(
        "# Medians over the rounds. Ratio: Tutti / best peer of times, best peer / Tutti of rates: below 1 "
        "is better; "
        "allocate: the same out of tutti::allocate; 95 "
        "%: "
        "the interval\n"
        "# of the true ratio; verdict: beyond noise; limit: the part reached of what the machine allows\n");
    std::fflush(stdout);
}

// Settings that were chosen for one host would keep the others' messages from the network.
Invited invited(const CompareOptions& options)
{
    const bool one_host = options.choice.hosts.names.empty();
    for (const PeerName& name : options.peers.value_or(std::vector<PeerName>{})) {
        if (!one_host && !name.settings.empty())
            throw PlanError(
                fmt::format("--peers {}: these settings are for one host: leave out --hosts, or :{}",
                            name.text(), name.settings));
    }
    return {options.peers, options.choice.memory == "both", one_host};
}

}  // namespace

int compare(CompareOptions options)
{
    if (options.choice.quick) {
        options.thoroughness.rounds = 1;
        options.choice.seconds = 0.01;
        if (!options.choice.growth)
            options.choice.growth = 4096;
    }
    const std::vector<Case> cases = plan_cases(options.choice);
    const std::vector<Contender> contenders = find_contenders(invited(options));
    check_writable("--json", options.json_file);  // reported before anything is measured
    introduce(options, cases, contenders);
    const Interruptible interruptible;
    return Comparison(options, cases, contenders).run();
}

}  // namespace tutti::bench
