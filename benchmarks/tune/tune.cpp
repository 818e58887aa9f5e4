#include "benchmarks/tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "benchmarks/progress/progress.hpp"
#include "benchmarks/suite/clock.hpp"
#include "benchmarks/suite/statistics.hpp"
#include "benchmarks/tune/calls.hpp"
#include "benchmarks/tune/plan.hpp"
#include "lib/foundation/base/cpus.hpp"
#include "lib/foundation/base/suggest.hpp"

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

class Tuner {
public:
    Tuner(const Communicator& ranks, const Options& options)
        : ranks_(ranks),
          options_(options),
          node_(ranks.split_by_node()),
          where_{ranks.size(), base::cores_are_shared(node_.size()), node_of_each(ranks, node_)},
          end_us_(now_us() + 1e6 * options.seconds)
    {
        for (const CollectiveInfo& entry : known_collectives()) {
            if (is_wanted(entry.name))
                sizes_left_ += sizes_of(entry).size();
        }
    }

    ordered_json run()
    {
        ordered_json rules;
        std::optional<Progress> progress;
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
                std::optional<Times> times = measure(entry, size_bytes);
                if (progress)
                    progress->erase();
                if (times) {
                    show(entry, *times);
                    by_size.push_back(std::move(*times));
                }
                --sizes_left_;
            }
            if (!by_size.empty())
                rules[std::string(entry.name)] = rules_of(where_, by_size);
        }
        return rules;
    }

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

    /// Nothing when the time is up.
    std::optional<Times> measure(const CollectiveInfo& entry, std::size_t size_bytes)
    {
        const double share_us = decided_by_0(
            ranks_, (end_us_ - now_us()) / static_cast<double>(std::max<std::size_t>(1, sizes_left_)));
        if (share_us <= 0)
            return std::nullopt;
        Times times{.size_bytes = size_bytes, .trials = trials(entry.name, where_, size_bytes), .us = {}};
        TunedCall call(ranks_, entry.name, size_bytes);
        time(call, "", kCallsUntilBoard);
        const double stop_us = now_us() + share_us;
        std::vector<std::vector<double>> samples(times.trials.size());
        std::vector<int> iterations;
        for (const Trial& trial : times.trials) {
            time(call, to_string(trial), kWarmUps);
            const double once_us = time(call, to_string(trial), 1);
            const double each_us = share_us / static_cast<double>(options_.repetitions) /
                                   static_cast<double>(times.trials.size());
            iterations.push_back(static_cast<int>(std::clamp(each_us / std::max(once_us, 0.1), 1.0, 1000.0)));
        }
        // Interleaved: what disturbs the machine for a while meets all.
        for (int repetition = 0; repetition < options_.repetitions; ++repetition) {
            for (std::size_t index = 0; index < times.trials.size(); ++index) {
                samples[index].push_back(time(call, to_string(times.trials[index]), iterations[index]));
            }
            if (decided_by_0(ranks_, now_us() > stop_us))
                break;
        }
        for (const std::vector<double>& own : samples)
            times.us.push_back(median(own));
        return times;
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
            fmt::print("# {}\n# {:<12} {:<28} {:>12} {:>9}\n", entry.name, "Size", "Algorithm", "Time (us)",
                       "Of usual");
        shown_ = entry.name;
        for (std::size_t index = 0; index < times.trials.size(); ++index) {
            const Trial& trial = times.trials[index];
            const std::string_view mark = trial == times.winner() ? " <- chosen" : "";
            fmt::print("{:<14} {:<28} {:>12.3f} {:>9.2f}{}{}\n", times.size_bytes, to_string(trial),
                       times.us[index], times.us[index] / times.us.front(), index == 0 ? " (table)" : "",
                       mark);
        }
        std::fflush(stdout);
    }

    // A communicator makes its board at its fourth blocking call.
    static constexpr int kCallsUntilBoard = 4;
    static constexpr int kWarmUps = 3;

    const Communicator& ranks_;
    const Options& options_;
    Communicator node_;
    Surroundings where_;
    double end_us_;
    std::size_t sizes_left_ = 0;
    std::string_view shown_;
};

/// What the environment forces cannot be tuned. Empty, or the complaint; the same at all ranks.
std::string unsuitable(const Communicator& ranks, const Options& options)
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
        const char* const value = std::getenv(entry.variable);
        if (value != nullptr && *value != '\0')
            return fmt::format("{0}={1} forces one algorithm, so there is nothing to compare; unset {0}",
                               entry.variable, value);
    }
    return {};
}

}  // namespace

int run_tune(const Communicator& ranks, const Options& options)
{
    if (const std::string complaint = unsuitable(ranks, options); !complaint.empty()) {
        if (ranks.rank() == 0)
            fmt::print(stderr, "tutti-bench: {}\n", complaint);
        ranks.barrier();  // a rank that leaves with an error may end the job: not before it has been said
        return 2;
    }
    const ordered_json rules = Tuner(ranks, options).run();
    if (ranks.rank() == 0) {
        std::ofstream file(options.rules_file);
        file << rules.dump(2) << "\n";
        file.close();
        if (!file)
            throw std::runtime_error(fmt::format("{} cannot be written", options.rules_file));
        fmt::print("# {}: use it with TUTTI_RULES={}\n", options.rules_file, options.rules_file);
    }
    return 0;
}

}  // namespace tutti::bench
