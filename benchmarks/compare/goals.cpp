#include "benchmarks/compare/goals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace tutti::bench {

namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;
constexpr double kAll = 1e18;

// The placement of ranks: each on its own core, sharing cores, on several hosts, or any.
enum class Place { own_cores, shared_cores, hosts, anywhere };

struct Promise {
    std::string_view benchmark;
    Place place;
    Goal goal;
};

const std::vector<Promise>& promises()
{
    static const std::vector<Promise> all = [] {
        std::vector<Promise> made = {
            {"latency", Place::own_cores, {1, kKiB, 0.70}},
            {"latency", Place::own_cores, {4 * kKiB, 4 * kMiB, 0.40}},
            {"latency", Place::hosts, {1, 1, 0.85}},
            {"bw", Place::own_cores, {16 * kKiB, 4 * kMiB, 2.5}},
            {"bw", Place::hosts, {64 * kKiB, 4 * kMiB, 1.2}},
            {"rate", Place::own_cores, {8, 8, 2.0}},
            {"barrier", Place::own_cores, {0, kAll, 0.80}},
            {"barrier", Place::shared_cores, {0, kAll, 0.55}},
            {"ring", Place::shared_cores, {0, kAll, 0.55}},
            {"launch", Place::anywhere, {0, kAll, 0.5}},
            {"idle", Place::anywhere, {0, kAll, 0.1, true}},
        };
        // For the bytes of a block or buffer.
        for (const std::string_view collective : {"broadcast", "reduce", "allreduce", "allgather", "alltoall",
                                                  "reduce_scatter", "gather", "scatter"}) {
            made.push_back({collective, Place::own_cores, {8, 2 * kKiB, 0.80}});
            made.push_back({collective, Place::own_cores, {8 * kKiB, 4 * kMiB, 0.40}});
            made.push_back({collective, Place::shared_cores, {8, kAll, 0.60}});
        }
        for (const std::string_view collective : {"allreduce", "broadcast", "alltoall"})
            made.push_back({collective, Place::hosts, {8, kMiB, 0.7}});
        return made;
    }();
    return all;
}

bool suits(Place place, const Case& which)
{
    switch (place) {
        case Place::own_cores:
            return which.hosts == 1 && which.binding == Binding::core;
        case Place::shared_cores:
            return which.hosts == 1 && which.binding == Binding::none;
        case Place::hosts:
            return which.hosts > 1;
        case Place::anywhere:
            break;
    }
    return true;
}

}  // namespace

std::optional<Goal> goal_of(const Case& which, std::optional<double> key)
{
    const double at = key.value_or(0);
    const auto found = std::find_if(promises().begin(), promises().end(), [&](const Promise& promise) {
        return promise.benchmark == which.benchmark && suits(promise.place, which) &&
               at >= promise.goal.min_key && at <= promise.goal.max_key;
    });
    if (found == promises().end())
        return {};
    return found->goal;
}

bool meets(const Goal& goal, Better better, double value, std::optional<double> ratio)
{
    if (goal.absolute)
        return value <= goal.bound;
    if (!ratio)
        return false;
    return better == Better::lower ? *ratio <= goal.bound : *ratio >= goal.bound;
}

std::string words(const Goal& goal, const record::Quantity& quantity)
{
    if (goal.absolute)
        return fmt::format("<= {} {}", goal.bound, quantity.unit);
    return fmt::format("{} {:.2f}", quantity.lower_is_better ? "<=" : ">=", goal.bound);
}

}  // namespace tutti::bench
