#include "benchmarks/compare/cases.hpp"

#include <initializer_list>

namespace tutti::bench {

namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;
constexpr double kAll = 1e18;

std::vector<std::string> with(std::vector<std::string> words, std::initializer_list<const char*> more)
{
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// Two ranks, a core each: nothing but the library differs.
Case two_ranks(const std::string& name, const std::vector<std::string>& arguments, Better better,
               std::string unit, std::vector<Goal> goals)
{
    Case one{.name = name, .arguments = arguments, .better = better, .unit = std::move(unit)};
    one.quick = with(arguments, {"-i", "5", "-x", "1"});
    one.goals = std::move(goals);
    return one;
}

// Runs only when asked for by name or with --all.
Case extra(Case one)
{
    one.by_default = false;
    return one;
}

// More ranks than cores, wherever the scheduler puts them.
Case crowded(const std::string& benchmark, int ranks)
{
    Case one{.name = benchmark + "-" + std::to_string(ranks), .arguments = {benchmark}, .ranks = ranks};
    one.quick = {benchmark, "-i", "5", "-x", "1"};
    one.binding = Binding::none;
    one.goals = {{0, kAll, 0.55}};
    one.with_mpich = false;
    return one;
}

// What collectives promise for the bytes of a block or buffer, on cores of their own and where ranks share
// them.
const std::vector<Goal> kCollectiveGoals = {{8, 2 * kKiB, 0.80}, {8 * kKiB, 4 * kMiB, 0.40}};
const std::vector<Goal> kCrowdedGoals = {{8, kAll, 0.60}};

Case collective(const std::string& name)
{
    return extra(two_ranks(name, {name, "-m", "8:4194304"}, Better::lower, "us", kCollectiveGoals));
}

Case crowded_collective(const std::string& name, int ranks)
{
    Case one = crowded(name, ranks);
    one.arguments = {name, "-m", "8:1048576", "-i", "40", "-x", "8"};
    one.goals = kCrowdedGoals;
    return extra(one);
}

// No arguments: the empty program instead of the suite.
Case launch(int ranks)
{
    Case one{.name = "launch-" + std::to_string(ranks), .ranks = ranks};
    one.binding = Binding::none;
    one.unit = "ms";
    one.goals = {{0, kAll, 0.5}};
    return one;
}

// Over the hosts that are named, so many ranks on each. The hosts bind: they may be namespaces with cores of
// their own.
Case over_hosts(const std::string& name, const std::vector<std::string>& arguments, int ranks_per_host,
                std::vector<Goal> goals)
{
    Case one{.name = "hosts-" + name, .arguments = arguments, .ranks = ranks_per_host};
    one.quick = with(arguments, {"-i", "5", "-x", "1"});
    one.binding = Binding::none;
    one.goals = std::move(goals);
    one.with_mpich = ranks_per_host == 1;
    one.over_hosts = true;
    return one;
}

std::vector<Case> cases_over_hosts()
{
    Case bandwidth = over_hosts("bw", {"bw", "-m", "1:4194304"}, 1, {{64 * kKiB, 4 * kMiB, 1.2}});
    bandwidth.better = Better::higher;
    bandwidth.unit = "MB/s";
    Case start = over_hosts("launch", {}, 1, {{0, kAll, 0.5}});
    start.quick.clear();
    start.unit = "ms";
    std::vector<Case> made = {over_hosts("latency", {"latency", "-m", "1:4194304"}, 1, {{1, 1, 0.85}}),
                              bandwidth, start};
    for (const char* name : {"allreduce", "broadcast", "alltoall"})
        made.push_back(over_hosts(std::string(name) + "-2",
                                  {name, "-m", "8:1048576", "-i", "100", "-x", "10"}, 2, {{8, kMiB, 0.7}}));
    return made;
}

// A promise about Tutti alone: the peers spin.
Case idle()
{
    Case one{.name = "idle", .arguments = {"idle", "-s", "10"}, .quick = {"idle", "-s", "0.1"}, .unit = "s"};
    one.goals = {{0, kAll, 0.1, true}};
    one.once = true;
    return one;
}

}  // namespace

const std::vector<Case>& all_cases()
{
    static const std::vector<Case> cases = [] {
        std::vector<Case> made = {
            two_ranks("latency", {"latency", "-m", "1:4194304"}, Better::lower, "us",
                      {{1, kKiB, 0.70}, {4 * kKiB, 4 * kMiB, 0.40}}),
            two_ranks("bw", {"bw", "-m", "1:4194304"}, Better::higher, "MB/s", {{16 * kKiB, 4 * kMiB, 2.5}}),
            two_ranks("rate", {"rate", "-m", "8:8"}, Better::higher, "1/s", {{8, 8, 2.0}}),
            crowded("barrier", 8),
            crowded("barrier", 32),
            crowded("ring", 8),
            crowded("ring", 32),
            launch(2),
            launch(64),
            idle(),
            two_ranks("matching", {"matching", "--depth", "10,10000"}, Better::lower, "us", {}),
            extra(two_ranks("matching-unexpected",
                            {"matching", "--mode", "unexpected", "--depth", "10,10000"}, Better::lower, "us",
                            {})),
            extra(two_ranks("matching-wildcard", {"matching", "--mode", "wildcard", "--depth", "10,10000"},
                            Better::lower, "us", {})),
            extra(two_ranks("bibw", {"bibw", "-m", "1:4194304"}, Better::higher, "MB/s", {})),
            extra(two_ranks("barrier", {"barrier"}, Better::lower, "us", {{0, kAll, 0.80}})),
        };
        for (const char* name : {"broadcast", "reduce", "allreduce", "allgather", "alltoall",
                                 "reduce_scatter", "gather", "scatter"}) {
            made.push_back(collective(name));
            for (const int ranks : {4, 8, 16})
                made.push_back(crowded_collective(name, ranks));
        }
        for (Case& one : cases_over_hosts())
            made.push_back(std::move(one));
        return made;
    }();
    return cases;
}

std::optional<Goal> goal_of(const Case& which, double key)
{
    for (const Goal& goal : which.goals) {
        if (key >= goal.min_key && key <= goal.max_key)
            return goal;
    }
    return {};
}

bool meets(const Case& which, const Goal& goal, double value, std::optional<double> ratio)
{
    if (goal.absolute)
        return value <= goal.bound;
    if (!ratio)
        return false;
    return which.better == Better::lower ? *ratio <= goal.bound : *ratio >= goal.bound;
}

}  // namespace tutti::bench
