// All collectives and their algorithms.
//
// A new algorithm takes a line in its collective's list. A new collective takes a struct here, rules in
// rules.hpp, its name in AllCollectives, and an entry point in collectives.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>

#include "collectives/choice/rules.hpp"
#include "collectives/choice/situation.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/framework/group.hpp"
#include "collectives/framework/task.hpp"

namespace tutti::collectives {

template <class RunFunction>
struct Algorithm : AlgorithmTraits {
    constexpr Algorithm(std::string_view its_name, RunFunction function, Needs its_needs = Needs::nothing,
                        bool segmented = false)
        : AlgorithmTraits{its_name, its_needs, segmented}, run(function)
    {
    }

    RunFunction run;
};

template <class RunFunction>
constexpr Algorithm<RunFunction> on_board(RunFunction run, Needs needs = Needs::board)
{
    return {"board", run, needs};
}

template <class RunFunction>
constexpr Algorithm<RunFunction> over_nodes(RunFunction run, Needs needs = Needs::nodes)
{
    return {"hierarchical", run, needs};
}

template <class RunFunction>
constexpr Algorithm<RunFunction> in_segments(std::string_view name, RunFunction run)
{
    return {name, run, Needs::nothing, true};
}

/// An algorithm without segments in a list where others have segments: `Whole<name>::run`.
template <auto kRun>
struct Whole;
template <class... Arguments, Task (*kRun)(Arguments...)>
struct Whole<kRun> {
    static Task run(Arguments... arguments, std::size_t) { return kRun(arguments...); }
};

// Error texts use the order of each list. kVariable is the collective's environment variable.

struct Barrier {
    using Function = BarrierFunction*;
    static constexpr const char* kVariable = "TUTTI_BARRIER";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", barrier_flat},
        on_board<Function>(barrier_board),
        {"shared", barrier_shared, Needs::streams},
        {"binomial", barrier_binomial},
        {"dissemination", barrier_dissemination},
        over_nodes<Function>(barrier_hierarchical),
    };
    static constexpr std::span<const Rule> kRules = kBarrierRules;
};

struct Broadcast {
    using Function = BroadcastFunction*;
    static constexpr const char* kVariable = "TUTTI_BROADCAST";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", Whole<broadcast_flat>::run},
        {"shared", Whole<broadcast_shared>::run, Needs::streams},
        {"binomial", Whole<broadcast_binomial>::run},
        {"knomial", Whole<broadcast_knomial>::run},
        in_segments<Function>("binary_tree", broadcast_binary_tree),
        in_segments<Function>("chain", broadcast_chain),
        {"scatter_allgather", Whole<broadcast_scatter_allgather>::run},
        over_nodes<Function>(Whole<broadcast_hierarchical>::run),
    };
    static constexpr std::span<const Rule> kRules = kBroadcastRules;
};

struct Reduce {
    using Function = ReduceFunction*;
    static constexpr const char* kVariable = "TUTTI_REDUCE";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", Whole<reduce_flat>::run},
        {"shared", Whole<reduce_shared>::run, Needs::streams},
        {"binomial", Whole<reduce_binomial>::run},
        {"knomial", Whole<reduce_knomial>::run},
        in_segments<Function>("chain", reduce_chain),
        {"rabenseifner", Whole<reduce_rabenseifner>::run},
        over_nodes<Function>(Whole<reduce_hierarchical>::run),
    };
    static constexpr std::span<const Rule> kRules = kReduceRules;
};

struct Allreduce {
    using Function = AllreduceFunction*;
    static constexpr const char* kVariable = "TUTTI_ALLREDUCE";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", allreduce_flat},
        on_board<Function>(allreduce_board),
        {"shared", allreduce_shared, Needs::streams},
        {"binomial", allreduce_binomial},
        {"recursive_doubling", allreduce_recursive_doubling},
        {"rabenseifner", allreduce_rabenseifner},
        {"ring", allreduce_ring, Needs::commuting},
        over_nodes<Function>(allreduce_hierarchical),
    };
    static constexpr std::span<const Rule> kRules = kAllreduceRules;
};

struct ReduceScatter {
    using Function = ReduceScatterFunction*;
    static constexpr const char* kVariable = "TUTTI_REDUCE_SCATTER";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", reduce_scatter_flat},
        on_board<Function>(reduce_scatter_board),
        {"shared", reduce_scatter_shared, Needs::streams_of_two},
        {"recursive_halving", reduce_scatter_recursive_halving},
        {"ring", reduce_scatter_ring, Needs::commuting},
        over_nodes<Function>(reduce_scatter_hierarchical),
    };
    static constexpr std::span<const Rule> kRules = kReduceScatterRules;
};

struct Scan {
    using Function = ScanFunction*;
    static constexpr const char* kVariable = "TUTTI_SCAN";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", scan_flat},
        on_board<Function>(scan_board),
        {"shared", scan_shared, Needs::streams},
        {"recursive_doubling", scan_recursive_doubling},
        over_nodes<Function>(scan_hierarchical, Needs::ordered_nodes),
    };
    static constexpr std::span<const Rule> kRules = kScanRules;
};

struct Exscan {
    using Function = ScanFunction*;
    static constexpr const char* kVariable = "TUTTI_EXSCAN";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", exscan_flat},
        on_board<Function>(exscan_board),
        {"shared", exscan_shared, Needs::streams},
        {"recursive_doubling", exscan_recursive_doubling},
        over_nodes<Function>(exscan_hierarchical, Needs::ordered_nodes),
    };
    static constexpr std::span<const Rule> kRules = kScanRules;
};

struct Allgather {
    using Function = AllgatherFunction*;
    static constexpr const char* kVariable = "TUTTI_ALLGATHER";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", allgather_flat},
        on_board<Function>(allgather_board),
        {"shared", allgather_shared, Needs::streams},
        {"ring", allgather_ring},
        {"recursive_doubling", allgather_recursive_doubling},
        {"bruck", allgather_bruck},
        over_nodes<Function>(allgather_hierarchical),
    };
    static constexpr std::span<const Rule> kRules = kAllgatherRules;
};

struct Allgatherv {
    using Function = AllgathervFunction*;
    static constexpr const char* kVariable = "TUTTI_ALLGATHERV";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", allgatherv_flat},
        on_board<Function>(allgatherv_board),
        {"shared", allgatherv_shared, Needs::streams},
        {"ring", allgatherv_ring},
        {"recursive_doubling", allgatherv_recursive_doubling},
        {"bruck", allgatherv_bruck},
        over_nodes<Function>(allgatherv_hierarchical),
    };
    static constexpr std::span<const Rule> kRules = kAllgatherRules;
};

struct Gather {
    using Function = GatherFunction*;
    static constexpr const char* kVariable = "TUTTI_GATHER";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", gather_flat},
        {"shared", gather_shared, Needs::streams},
        {"binomial", gather_binomial},
        over_nodes<Function>(gather_hierarchical),
    };
    static constexpr std::span<const Rule> kRules = kGatherRules;
};

struct Gatherv {
    using Function = GathervFunction*;
    static constexpr const char* kVariable = "TUTTI_GATHERV";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", gatherv_flat},
        {"shared", gatherv_shared, Needs::streams},
        over_nodes<Function>(gatherv_hierarchical),
    };
    static constexpr std::span<const Rule> kRules = kGathervRules;
};

struct Scatter {
    using Function = ScatterFunction*;
    static constexpr const char* kVariable = "TUTTI_SCATTER";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", scatter_flat},
        {"shared", scatter_shared, Needs::streams},
        {"binomial", scatter_binomial},
        over_nodes<Function>(scatter_hierarchical),
    };
    static constexpr std::span<const Rule> kRules = kGatherRules;
};

struct Scatterv {
    using Function = ScattervFunction*;
    static constexpr const char* kVariable = "TUTTI_SCATTERV";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", scatterv_flat},
        {"shared", scatterv_shared, Needs::streams},
        over_nodes<Function>(scatterv_hierarchical),
    };
    static constexpr std::span<const Rule> kRules = kGathervRules;
};

struct Alltoall {
    using Function = AlltoallFunction*;
    static constexpr const char* kVariable = "TUTTI_ALLTOALL";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", alltoall_flat},
        on_board<Function>(alltoall_board, Needs::board_of_blocks),
        {"shared", alltoall_shared, Needs::streams},
        {"pairwise", alltoall_pairwise},
        {"bruck", alltoall_bruck},
        over_nodes<Function>(alltoall_hierarchical),
        {"lanes", alltoall_lanes, Needs::nodes},
    };
    static constexpr std::span<const Rule> kRules = kAlltoallRules;
};

struct Alltoallv {
    using Function = AlltoallvFunction*;
    static constexpr const char* kVariable = "TUTTI_ALLTOALLV";
    static constexpr Algorithm<Function> kAlgorithms[] = {
        {"flat", alltoallv_flat},
        on_board<Function>(alltoallv_board),
        {"shared", alltoallv_shared, Needs::streams},
        {"pairwise", alltoallv_pairwise},
        over_nodes<Function>(alltoallv_hierarchical),
    };
    static constexpr std::span<const Rule> kRules = kAlltoallvRules;
};

using AllCollectives =
    std::tuple<Barrier, Broadcast, Reduce, Allreduce, ReduceScatter, Scan, Exscan, Allgather, Allgatherv,
               Gather, Gatherv, Scatter, Scatterv, Alltoall, Alltoallv>;

/// A collective's place in AllCollectives.
template <class Collective, class List = AllCollectives>
inline constexpr unsigned index_of = 0;
template <class Collective, class... Others>
inline constexpr unsigned index_of<Collective, std::tuple<Collective, Others...>> = 0;
template <class Collective, class First, class... Others>
inline constexpr unsigned index_of<Collective, std::tuple<First, Others...>> =
    1 + index_of<Collective, std::tuple<Others...>>;

inline constexpr std::size_t kCollectives = std::tuple_size_v<AllCollectives>;

/// The selected algorithm of the collective.
template <class Collective>
constexpr const Algorithm<typename Collective::Function>& algorithm_of(Selection selection) noexcept
{
    return Collective::kAlgorithms[selection.number - 1u];
}

namespace detail {

/// Compiles only if every rule names an algorithm of the collective, gives a segment size exactly to
/// algorithms with segments, and the last rule fits every call.
template <class Collective>
consteval auto table_of()
{
    std::array<Rule, Collective::kRules.size()> rules{};
    for (std::size_t i = 0; i < rules.size(); ++i) {
        rules[i] = Collective::kRules[i];
        rules[i].hold(rules[i].where);
        std::size_t index = 0;
        while (Collective::kAlgorithms[index].name != rules[i].algorithm)
            ++index;
        rules[i].use(Collective::kAlgorithms[index], index + 1);
        if (Collective::kAlgorithms[index].has_segments != (rules[i].segment_bytes != 0))
            throw "a rule must give the segments of an algorithm that has them, and of no other";
    }
    const Rule& last = rules.back();
    if (last.where != Where::anywhere || last.needs != Needs::nothing || last.max_ranks != kAnyRanks ||
        last.max_bytes != kAnyBytes)
        throw "the last rule must fit every call";
    return rules;
}

}  // namespace detail

/// The collective's rules in rules.hpp.
template <class Collective>
inline constexpr auto kTable = detail::table_of<Collective>();

}  // namespace tutti::collectives
