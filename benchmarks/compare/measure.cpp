#include "benchmarks/compare/measure.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <variant>

#include "benchmarks/compare/others.hpp"
#include "benchmarks/compare/scratch_folder.hpp"

namespace tutti::bench {

namespace {

namespace fs = std::filesystem;

// A suite's exit status if its library lacks an operation of the benchmark.
constexpr int kNotOffered = 3;

constexpr int kUncounted = -1;  // a round

// A peer whose first run takes so many times as long as Tutti's, and this long, has no second run. MPICH with
// more ranks than cores needs minutes for runs that others finish in a second.
constexpr double kFarSlower = 4.0;
constexpr double kLongSeconds = 5.0;

// Of a run that did not end in the mode in which it began.
constexpr int kRepeats = 1;

class CaseRuns {
public:
    CaseRuns(const Case& which, const Hosts& hosts, const Thoroughness& thoroughness, Modes* modes)
        : hosts_(hosts), thoroughness_(thoroughness), modes_(modes), result_{.which = which, .quantity = {}}
    {
        if (!which.folder.empty())
            files_.emplace(which.folder);
    }

    bool wanted(const Contender& contender) const { return !ended_.contains(contender.name); }

    // False if the user wants to stop.
    bool run(const Contender& contender, int round)
    {
        if (modes_ == nullptr)
            return run_once(contender, round);
        for (int again = kRepeats;; --again) {
            const std::optional<double> before = modes_->hold();
            if (!run_once(contender, round))
                return false;
            const std::optional<double> after = modes_->now();
            const std::optional<double> trip = modes_->is_usual(before) ? after : before;
            if (again == 0 || modes_->is_usual(trip) || !wanted(contender)) {
                if (trip && round != kUncounted)
                    result_.trips_ns[contender.name][round] = *trip;
                return true;
            }
        }
    }

    CaseResult result(double others_share) &&
    {
        result_.others_share = others_share;
        return std::move(result_);
    }

private:
    bool run_once(const Contender& contender, int round)
    {
        const fs::path file = scratch_ / fmt::format("{}.json", ++runs_);
        const std::vector<std::string> command = command_of(contender, file);
        const Outcome outcome = run_program(command, variables_of(contender), thoroughness_.timeout_seconds);
        if (outcome.interrupted)
            return false;
        if (!outcome.good())
            end(contender, command, outcome);
        take(contender, round, file, command, outcome);
        if (contender.is_tutti())
            tutti_seconds_ = outcome.seconds;
        else if (outcome.seconds > kLongSeconds && outcome.seconds > kFarSlower * tutti_seconds_)
            ended_.insert(contender.name);
        return true;
    }

    bool is_launch() const { return result_.which.arguments.empty(); }

    std::vector<std::string> command_of(const Contender& contender, const fs::path& file) const
    {
        if (is_launch())
            return contender.command(result_.which.ranks, result_.which.binding, hosts_, contender.empty, {});
        std::vector<std::string> arguments = result_.which.arguments;
        arguments.insert(arguments.end(), thoroughness_.arguments.begin(), thoroughness_.arguments.end());
        arguments.insert(arguments.end(), contender.suite_arguments.begin(), contender.suite_arguments.end());
        if (files_)
            arguments.insert(arguments.end(), {"--folder", files_->path().string()});
        arguments.insert(arguments.end(), {"--json", file.string()});
        return contender.command(result_.which.ranks, result_.which.binding, hosts_, contender.benchmark,
                                 arguments);
    }

    void end(const Contender& contender, const std::vector<std::string>& command, const Outcome& outcome)
    {
        ended_.insert(contender.name);
        const bool peer = !contender.is_tutti();
        if (outcome.status == kNotOffered && !outcome.timed_out)
            result_.failures.push_back({contender.name, "does not offer this", true});
        else if (outcome.timed_out && peer)
            result_.failures.push_back({contender.name,
                                        fmt::format("took longer than {} s", thoroughness_.timeout_seconds),
                                        true, true});
        else
            result_.failures.push_back(
                {contender.name, describe_failure(command, outcome), false, outcome.timed_out});
    }

    // Rows that a stopped run had written count, too.
    void take(const Contender& contender, int round, const fs::path& file,
              const std::vector<std::string>& command, const Outcome& outcome)
    {
        if (is_launch()) {
            if (outcome.good() && round != kUncounted)
                result_.add(contender.name, round, launch_run(contender, outcome.seconds));
            return;
        }
        try {
            const record::Record read = record::read(file.string());
            const auto* run = std::get_if<record::Run>(&read);
            if (run == nullptr)
                throw std::runtime_error(fmt::format("{} is no run of a benchmark", file.string()));
            const std::string variant = contender.variant.empty() ? "" : ", " + contender.variant;
            result_.library_names[contender.name] = run->library + variant;
            result_.add(contender.name, round, *run);
        } catch (const std::runtime_error& error) {
            if (!outcome.good())
                return;  // reported already
            ended_.insert(contender.name);
            result_.failures.push_back(
                {contender.name, fmt::format("{}\n{}", error.what(), describe_failure(command, outcome))});
        }
    }

    record::Run launch_run(const Contender& contender, double seconds) const
    {
        record::Run run;
        run.quantity.benchmark = result_.which.benchmark;
        run.quantity.title = "Launch of an empty program, from start to end";
        run.quantity.value = "Time";
        run.quantity.unit = "ms";
        run.library = contender.title;
        record::RunRow& row = run.rows.emplace_back();
        row.median = 1000 * seconds;
        row.interval = {row.median, row.median};
        return run;
    }

    const Hosts& hosts_;
    const Thoroughness& thoroughness_;
    Modes* modes_;
    CaseResult result_;
    ScratchFolder scratch_;
    std::optional<ScratchFolder> files_;  // a run that was killed leaves its own here
    std::set<std::string> ended_;
    int runs_ = 0;
    double tutti_seconds_ = 0.0;
};

}  // namespace

CaseResult measure_case(const Case& which, const std::vector<Contender>& contenders, const Hosts& hosts,
                        const Thoroughness& thoroughness, const Watcher& watcher, Modes* modes)
{
    const Others others;
    CaseRuns runs(which, hosts, thoroughness, modes);
    // Libraries in the inner loop, rounds in the outer: drift of the machine affects all of them. Launches
    // have a round before the first one, which brings files into memory.
    for (int round = which.arguments.empty() ? kUncounted : 0; round < thoroughness.rounds; ++round) {
        for (const Contender& contender : contenders) {
            if (!runs.wanted(contender))
                continue;
            watcher(contender, round);
            if (!runs.run(contender, round))
                return std::move(runs).result(others.share());
        }
    }
    return std::move(runs).result(others.share());
}

}  // namespace tutti::bench
