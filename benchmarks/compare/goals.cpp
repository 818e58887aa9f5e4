#include "benchmarks/compare/goals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "benchmarks/suite/command_line/suite_options.hpp"

namespace tutti::bench {

namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;
constexpr double kAll = 1e18;

// The placement of ranks: each on its own core, sharing cores, either of these, on several hosts, or any.
enum class Place { own_cores, shared_cores, one_host, hosts, anywhere };

// Which buffers: ordinary ones, those of tutti::allocate, or any.
enum class From { malloc, allocate, anywhere };

struct Promise {
    std::string_view benchmark;  // "*": a collective of the first group; "": any
    Place place;
    From from;
    Goal goal;
    int ranks = 0;         // 0: any number
    bool flushes = false;  // only where flush() completes operations
};

constexpr Goal not_behind(double min_key, double max_key)
{
    return {min_key, max_key, 1.0, Goal::Kind::not_behind};
}

// The first that suits counts.
const std::vector<Promise>& promises()
{
    static const std::vector<Promise> all = [] {
        std::vector<Promise> made = {
            {"latency", Place::own_cores, From::anywhere, {1, 2 * kKiB, 0.75}},
            {"latency", Place::own_cores, From::malloc, {4 * kKiB, 4 * kMiB, 0.90}},
            {"latency", Place::own_cores, From::allocate, {4 * kKiB, 4 * kMiB, 0.40}},
            {"latency", Place::hosts, From::anywhere, {1, 1, 0.85}},
            {"bw", Place::hosts, From::anywhere, {64 * kKiB, 4 * kMiB, 1.2}},
            {"barrier", Place::own_cores, From::anywhere, {0, kAll, 0.80}},
            {"launch", Place::anywhere, From::anywhere, {0, kAll, 0.5}},
            {"idle", Place::anywhere, From::anywhere, {0, kAll, 0.1, Goal::Kind::value}},
        };
        for (const std::string_view stream : {"bw", "bibw", "mbw_mr", "rate"}) {
            made.push_back({stream, Place::own_cores, From::anywhere, {1, 2 * kKiB, 1.7}});
            made.push_back({stream, Place::own_cores, From::malloc, {2 * kKiB, 4 * kMiB, 1.0}});
            made.push_back({stream, Place::own_cores, From::allocate, {2 * kKiB, 4 * kMiB, 2.0}});
        }
        for (const std::string_view collective : {"allreduce", "broadcast", "alltoall"})
            made.push_back({collective, Place::hosts, From::anywhere, {8, kMiB, 0.7}});
        // For the bytes of a block or buffer.
        made.push_back({"*", Place::own_cores, From::allocate, {16 * kKiB, 4 * kMiB, 0.70}});
        made.push_back({"*", Place::own_cores, From::anywhere, not_behind(8, 4 * kMiB)});
        for (const std::string_view move : {"put_latency", "get_latency"})
            made.push_back({.benchmark = move,
                            .place = Place::own_cores,
                            .from = From::anywhere,
                            .goal = {8, 8, 0.25},
                            .flushes = true});
        for (const std::string_view update : {"acc_latency", "fop_latency", "cas_latency"})
            made.push_back({.benchmark = update,
                            .place = Place::own_cores,
                            .from = From::anywhere,
                            .goal = {8, 8, 0.3},
                            .flushes = true});
        for (const std::string_view stream : {"put_bw", "get_bw"})
            made.push_back({stream, Place::own_cores, From::anywhere, {64 * kKiB, 4 * kMiB, 2.0}});
        made.push_back({.benchmark = "put_latency",
                        .place = Place::hosts,
                        .from = From::anywhere,
                        .goal = {8, 8, 0.8},
                        .flushes = true});
        made.push_back({"counter", Place::one_host, From::anywhere, {0, kAll, 3.0}, 8});
        for (const std::string_view polling : {"ring_test", "ring_iprobe", "ring_improbe"})
            made.push_back({polling, Place::shared_cores, From::anywhere, {0, kAll, 2.0}});
        for (const Benchmark& each : catalogue())
            if (to_string(each.group) == to_string(Group::one_sided))
                made.push_back({each.name, Place::anywhere, From::anywhere, not_behind(0, kAll)});
        for (const std::string_view together : {"file_write_all", "file_read_all"})
            made.push_back({together, Place::one_host, From::anywhere, {512, 64 * kKiB, 2.0}});
        for (const std::string_view call : {"file_open", "file_view"})
            made.push_back({call, Place::anywhere, From::anywhere, {0, kAll, 1.0}});
        made.push_back(
            {"file_write_shared", Place::one_host, From::anywhere, {64, 64, 0.5, Goal::Kind::value}});
        for (const Benchmark& each : catalogue())
            if (has_file(each))
                made.push_back({each.name, Place::anywhere, From::anywhere, not_behind(0, kAll)});
        made.push_back({"", Place::shared_cores, From::anywhere, not_behind(0, kAll)});
        return made;
    }();
    return all;
}

bool is_collective(const Case& which)
{
    return which.group == to_string(Group::collective);
}

bool flushes(const Case& which)
{
    if (which.arguments.empty())
        return true;
    std::vector<const char*> words{"tutti-bench"};
    for (const std::string& argument : which.arguments)
        words.push_back(argument.c_str());
    const SuiteCommandLine command = parse_command_line(static_cast<int>(words.size()), words.data(), false);
    return command.options.synchronization.value_or(Synchronization::flush) == Synchronization::flush;
}

bool suits(Place place, const Case& which)
{
    switch (place) {
        case Place::own_cores:
            return which.hosts == 1 && which.binding == Binding::core;
        case Place::shared_cores:
            return which.hosts == 1 && which.binding == Binding::none;
        case Place::one_host:
            return which.hosts == 1;
        case Place::hosts:
            return which.hosts > 1;
        case Place::anywhere:
            break;
    }
    return true;
}

}  // namespace

std::optional<Goal> goal_of(const Case& which, std::optional<double> key, bool allocated)
{
    const double at = key.value_or(0);
    const From other = allocated ? From::malloc : From::allocate;
    const auto found = std::find_if(promises().begin(), promises().end(), [&](const Promise& promise) {
        const bool named = promise.benchmark == "*"
                               ? is_collective(which)
                               : promise.benchmark.empty() || promise.benchmark == which.benchmark;
        const bool fits = suits(promise.place, which) && (promise.ranks == 0 || promise.ranks == which.ranks);
        return named && fits && promise.from != other && at >= promise.goal.min_key &&
               at <= promise.goal.max_key && (!promise.flushes || flushes(which));
    });
    if (found == promises().end())
        return {};
    return found->goal;
}

std::optional<bool> meets(const Goal& goal, Better better, double value, std::optional<double> ratio,
                          std::optional<Verdict> verdict)
{
    if (goal.kind == Goal::Kind::value)
        return value <= goal.bound;
    if (goal.kind == Goal::Kind::not_behind)
        return verdict ? std::optional(*verdict != Verdict::slower) : std::nullopt;
    if (!ratio)
        return {};
    return better == Better::lower ? *ratio <= goal.bound : *ratio >= goal.bound;
}

std::string words(const Goal& goal, const record::Quantity& quantity)
{
    if (goal.kind == Goal::Kind::value)
        return fmt::format("<= {} {}", goal.bound, quantity.unit);
    if (goal.kind == Goal::Kind::not_behind)
        return "not slower";
    return fmt::format("<= {:.2f}", quantity.lower_is_better ? goal.bound : 1 / goal.bound);
}

bool counts_for_median(const Case& which, std::optional<double> key)
{
    return is_collective(which) && suits(Place::own_cores, which) && which.memory != "library" &&
           key.value_or(0) >= 8 && key.value_or(0) <= 4 * kMiB;
}

}  // namespace tutti::bench
