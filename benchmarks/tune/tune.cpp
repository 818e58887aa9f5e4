#include "benchmarks/tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "benchmarks/progress/progress.hpp"
#include "benchmarks/suite/command_line/size_range.hpp"
#include "benchmarks/suite/measure/benchmark_clock.hpp"
#include "benchmarks/suite/measure/statistics.hpp"
#include "benchmarks/tune/starts.hpp"
#include "benchmarks/tune/tuned_call.hpp"
#include "benchmarks/tune/tuning_plan.hpp"
#include "lib/foundation/base/suggest.hpp"
#include "lib/foundation/settings/cores.hpp"
#include "lib/foundation/settings/settings.hpp"

namespace tutti::bench {

using nlohmann::ordered_json;

namespace {

constexpr Sizes kTunedSizes{8, 1024 * 1024, 4};

// Rank 0's clock and arithmetic decide for all: ranks that decided apart would call apart.
template <class T>
T decided_by_0(const Communicator& ranks, T value)
{
    ranks.broadcast(value, {.root = 0});
    return value;
}

std::vector<int> node_of_each(const Communicator& ranks, const Communicator& node)
{
    std::vector<int> node_of_rank(static_cast<std::size_t>(ranks.size()));
    ranks.allgather(node.world_rank(0), node_of_rank);
    return node_of_rank;
}

// Beside the rules: "rules.json" has "rules.starts.json".
std::string starts_file(const SuiteOptions& options)
{
    if (!options.starts_file.empty())
        return options.starts_file;
    return std::filesystem::path(options.rules_file).replace_extension(".starts.json").string();
}

/// The file of earlier starts does not suit. Words only at rank 0.
struct OtherStarts : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::string interval_text(const std::optional<Ratio>& ratio)
{
    return ratio && ratio->interval
               ? fmt::format("{:.2f} - {:.2f}", ratio->interval->low, ratio->interval->high)
               : "-";
}

void write_file(const std::string& name, const std::string& text)
{
    std::ofstream file(name);
    file << text;
    file.close();
    if (!file)
        throw std::runtime_error(fmt::format("{} cannot be written", name));
}

class Tuner {
public:
    Tuner(const Communicator& ranks, const SuiteOptions& options)
        : ranks_(ranks),
          options_(options),
          node_(ranks.split_by_node()),
          where_{ranks.size(), settings::cores_are_shared(node_.size()), node_of_each(ranks, node_)},
          starts_(where_),
          end_us_(now_us() + 1e6 * options.seconds)
    {
        std::string complaint;
        if (ranks.rank() == 0) {
            try {
                starts_ = Starts(where_, starts_file(options));
            } catch (const std::runtime_error& error) {
                complaint = error.what();
            }
        }
        if (decided_by_0(ranks, complaint.empty() ? 0 : 1) != 0)
            throw OtherStarts(complaint);
        starts_.begin();
        for (const CollectiveInfo& entry : known_collectives()) {
            if (is_wanted(entry.name))
                sizes_left_ += sizes_of(entry).size();
        }
    }

    ordered_json run()
    {
        ordered_json rules;
        std::optional<ProgressLine> progress;
        if (ranks_.rank() == 0)
            progress.emplace(static_cast<int>(sizes_left_));
        rules["comment"] =
            fmt::format("written by tutti-bench tune: {} ranks on {} node{}{}", where_.ranks, where_.nodes(),
                        where_.nodes() > 1 ? "s" : "", where_.crowded ? ", more than cores" : "");
        for (const CollectiveInfo& entry : known_collectives()) {
            if (!is_wanted(entry.name))
                continue;
            std::vector<Times> by_size;
            for (const std::size_t size_bytes : sizes_of(entry)) {
                if (progress)
                    progress->next(fmt::format("{}, size {}", entry.name, size_bytes));
                const std::optional<Times> times = measure(entry, size_bytes);
                if (progress)
                    progress->erase();
                if (times) {
                    show(entry, *times);
                    undecided_ += times->undecided() ? 1 : 0;
                    by_size.push_back(*times);
                }
                --sizes_left_;
            }
            if (by_size.empty())
                continue;
            if (ordered_json found = rules_of(where_, by_size); !found.empty())
                rules[std::string(entry.name)] = std::move(found);
        }
        return rules;
    }

    /// All starts, with this one. At rank 0.
    const Starts& starts() const { return starts_; }
    /// Of sizes, whose choice stays with the table though another looks faster.
    int undecided() const { return undecided_; }

private:
    bool is_wanted(std::string_view collective) const
    {
        return options_.collectives.empty() ||
               std::ranges::find(options_.collectives, collective) != options_.collectives.end();
    }

    std::vector<std::size_t> sizes_of(const CollectiveInfo& entry) const
    {
        if (const auto only = TunedCall::only_size(entry.name, where_.ranks))
            return {*only};
        const std::size_t grain = TunedCall::granularity(entry.name, where_.ranks);
        std::vector<std::size_t> sizes;
        for (const std::size_t size : options_.size_list(kTunedSizes)) {
            const std::size_t whole = std::max(grain, size / grain * grain);
            if (sizes.empty() || sizes.back() < whole)
                sizes.push_back(whole);
        }
        return sizes;
    }

    /// Of all starts, of which this is one. Nothing when the time is up.
    std::optional<Times> measure(const CollectiveInfo& entry, std::size_t size_bytes)
    {
        const double share_us = decided_by_0(
            ranks_, (end_us_ - now_us()) / static_cast<double>(std::max<std::size_t>(1, sizes_left_)));
        if (share_us <= 0)
            return std::nullopt;
        const std::vector<Trial> tried = trials(entry.name, where_, size_bytes);
        TunedCall call(ranks_, entry.name, size_bytes);
        time(call, "", kCallsUntilBoard);
        const double stop_us = now_us() + share_us;
        std::vector<std::vector<double>> samples(tried.size());
        std::vector<int> iterations;
        for (const Trial& trial : tried) {
            time(call, to_string(trial), kWarmUps);
            const double once_us = time(call, to_string(trial), 1);
            const double each_us =
                share_us / static_cast<double>(options_.repetitions) / static_cast<double>(tried.size());
            iterations.push_back(static_cast<int>(std::clamp(each_us / std::max(once_us, 0.1), 1.0, 1000.0)));
        }
        // Interleaved: what disturbs the machine for a while meets all.
        for (int repetition = 0; repetition < options_.repetitions; ++repetition) {
            for (std::size_t index = 0; index < tried.size(); ++index)
                samples[index].push_back(time(call, to_string(tried[index]), iterations[index]));
            if (decided_by_0(ranks_, now_us() > stop_us))
                break;
        }
        for (std::size_t index = 0; index < tried.size(); ++index)
            starts_.add(entry.name, size_bytes, tried[index], median(samples[index]));
        return starts_.times(entry.name, size_bytes, tried);
    }

    /// Mean time of a call, at the slowest rank; the same at all ranks. All start each call together: without
    /// that, ranks that only send would run ahead, and the time be that of a stream of calls.
    double time(TunedCall& call, std::string_view algorithm, int iterations)
    {
        double total = 0;
        for (int i = 0; i < iterations; ++i) {
            ranks_.barrier();
            const double start = now_us();
            call(algorithm);
            total += now_us() - start;
        }
        double mean = total / iterations;
        ranks_.allreduce(mean, max);
        return mean;
    }

    void show(const CollectiveInfo& entry, const Times& times)
    {
        if (ranks_.rank() != 0)
            return;
        if (shown_ != entry.name)
            fmt::print("# {}\n# {:<12} {:<28} {:>12} {:>9} {:>17}\n", entry.name, "Size", "Algorithm",
                       "Time (us)", "Of usual", "95 %");
        shown_ = entry.name;
        for (std::size_t index = 0; index < times.trials.size(); ++index) {
            const Trial& trial = times.trials[index];
            const std::optional<Ratio> ratio = times.beside_table(index);
            const std::string_view mark = trial == times.winner() ? " <- chosen" : "";
            fmt::print("{:<14} {:<28} {:>12.3f} {:>9.2f} {:>17}{}{}\n",
                       short_size(static_cast<double>(times.size_bytes)), to_string(trial),
                       median_of(times.us[index]), ratio ? ratio->value : 1.0, interval_text(ratio),
                       index == 0 ? " (table)" : "", mark);
        }
        std::fflush(stdout);
    }

    // A communicator makes its board at its fourth blocking call.
    static constexpr int kCallsUntilBoard = 4;
    static constexpr int kWarmUps = 3;

    const Communicator& ranks_;
    const SuiteOptions& options_;
    Communicator node_;
    Surroundings where_;
    Starts starts_;
    double end_us_;
    int undecided_ = 0;
    std::size_t sizes_left_ = 0;
    std::string_view shown_;
};

/// What the environment forces cannot be tuned. Empty, or the complaint; the same at all ranks.
std::string unsuitable(const Communicator& ranks, const SuiteOptions& options)
{
    std::vector<std::string_view> tuned;
    for (const CollectiveInfo& known : known_collectives())
        tuned.push_back(known.name);
    for (const std::string& name : options.collectives) {
        if (std::ranges::find(tuned, name) == tuned.end())
            return fmt::format("there is no collective \"{}\" to tune{}; there is {}", name,
                               base::did_you_mean(name, tuned), fmt::join(tuned, ", "));
    }
    if (ranks.size() < 2)
        return "tune needs 2 ranks or more: start it with -n 2";
    for (const CollectiveInfo& entry : known_collectives()) {
        const char* const value = settings::value_of(entry.variable);
        if (value != nullptr && *value != '\0')
            return fmt::format("{0}={1} forces one algorithm, so there is nothing to compare; unset {0}",
                               entry.variable, value);
    }
    return {};
}

// At rank 0: the files, and what is to be done with them.
void conclude(const Tuner& tuner, const ordered_json& rules, const SuiteOptions& options)
{
    const std::string starts = starts_file(options);
    write_file(starts, tuner.starts().text());
    if (const int count = tuner.starts().count(); count < kLeastTuneStarts) {
        fmt::print(
            "# Start {} of {} at least, kept in {}: one start decides nothing. Give the same command again\n",
            count, kLeastTuneStarts, starts);
        return;
    }
    write_file(options.rules_file, rules.dump(2) + "\n");
    if (tuner.undecided() > 0)
        fmt::print(
            "# {} sizes undecided, which stay with the table: another algorithm looks faster, but not beyond "
            "noise; more starts may tell\n",
            tuner.undecided());
    fmt::print("# {}, of the {} starts in {}: use it with TUTTI_RULES={}\n", options.rules_file,
               tuner.starts().count(), starts, options.rules_file);
}

}  // namespace

int run_tune(const Communicator& ranks, const SuiteOptions& options)
{
    if (const std::string complaint = unsuitable(ranks, options); !complaint.empty()) {
        if (ranks.rank() == 0)
            fmt::print(stderr, "tutti-bench: {}\n", complaint);
        ranks.barrier();  // a rank that leaves with an error may end the job: not before it has been said
        return 2;
    }
    try {
        Tuner tuner(ranks, options);
        const ordered_json rules = tuner.run();
        if (ranks.rank() == 0)
            conclude(tuner, rules, options);
    } catch (const OtherStarts& error) {
        if (ranks.rank() == 0)
            fmt::print(stderr, "tutti-bench: {}\n", error.what());
        ranks.barrier();
        return 2;
    }
    return 0;
}

}  // namespace tutti::bench
