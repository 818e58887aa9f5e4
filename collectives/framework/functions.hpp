// The functions of all algorithms, with the parameters of their collective in collectives.hpp. The file of
// each has its source and cost. Reductions keep the operands in rank order if the operator does not commute.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/framework/group.hpp"
#include "collectives/framework/neighbors.hpp"
#include "collectives/framework/partition.hpp"
#include "collectives/framework/rank_blocks.hpp"
#include "collectives/framework/task.hpp"

namespace tutti::collectives {

using BarrierFunction = Task(Group&);
BarrierFunction barrier_board, barrier_flat, barrier_binomial, barrier_dissemination, barrier_hierarchical,
    barrier_shared;

using WholeBroadcastFunction = Task(Group&, std::span<std::byte> data, int root);
WholeBroadcastFunction broadcast_flat, broadcast_binomial, broadcast_knomial, broadcast_scatter_allgather,
    broadcast_hierarchical, broadcast_shared;
using BroadcastFunction = Task(Group&, std::span<std::byte> data, int root, std::size_t segment_bytes);
BroadcastFunction broadcast_binary_tree, broadcast_chain;

using WholeReduceFunction = Task(Group&, const std::byte* in, Buffer out, int root, ReduceOp);
WholeReduceFunction reduce_flat, reduce_binomial, reduce_knomial, reduce_rabenseifner, reduce_hierarchical,
    reduce_shared;
using ReduceFunction = Task(Group&, const std::byte* in, Buffer out, int root, ReduceOp,
                            std::size_t segment_bytes);
ReduceFunction reduce_chain;

using AllreduceFunction = Task(Group&, const std::byte* in, Buffer out, ReduceOp);
AllreduceFunction allreduce_board, allreduce_flat, allreduce_binomial, allreduce_recursive_doubling,
    allreduce_rabenseifner, allreduce_ring, allreduce_hierarchical, allreduce_shared;

using ReduceScatterFunction = Task(Group&, const std::byte* in, Partition blocks, Buffer out, ReduceOp);
ReduceScatterFunction reduce_scatter_board, reduce_scatter_flat, reduce_scatter_recursive_halving,
    reduce_scatter_ring, reduce_scatter_hierarchical, reduce_scatter_shared;

using ScanFunction = Task(Group&, const std::byte* in, Buffer out, ReduceOp);
ScanFunction scan_board, scan_flat, scan_recursive_doubling, scan_hierarchical, scan_shared;
ScanFunction exscan_board, exscan_flat, exscan_recursive_doubling, exscan_hierarchical, exscan_shared;

using AllgatherFunction = Task(Group&, const std::byte* own, std::span<std::byte> all);
AllgatherFunction allgather_board, allgather_flat, allgather_ring, allgather_recursive_doubling,
    allgather_bruck, allgather_hierarchical, allgather_shared;
using AllgathervFunction = Task(Group&, const std::byte* own, Blocks all);
AllgathervFunction allgatherv_board, allgatherv_flat, allgatherv_ring, allgatherv_recursive_doubling,
    allgatherv_bruck, allgatherv_hierarchical, allgatherv_shared;

using GatherFunction = Task(Group&, std::span<const std::byte> own, std::byte* all, int root);
GatherFunction gather_flat, gather_binomial, gather_hierarchical, gather_shared;
using GathervFunction = Task(Group&, std::span<const std::byte> own, Blocks all, int root);
GathervFunction gatherv_flat, gatherv_hierarchical, gatherv_shared;

using ScatterFunction = Task(Group&, const std::byte* all, std::span<std::byte> own, int root);
ScatterFunction scatter_flat, scatter_binomial, scatter_hierarchical, scatter_shared;
using ScattervFunction = Task(Group&, ConstBlocks all, std::span<std::byte> own, int root);
ScattervFunction scatterv_flat, scatterv_hierarchical, scatterv_shared;

using AlltoallFunction = Task(Group&, const std::byte* in, std::span<std::byte> out);
AlltoallFunction alltoall_flat, alltoall_pairwise, alltoall_bruck, alltoall_hierarchical, alltoall_lanes;
AlltoallFunction alltoall_board, alltoall_shared;  // in place if `in` is out.data()
/// alltoall_in_place without a board; in_place.cpp.
Task alltoall_in_pairs(Group& group, std::span<std::byte> data);
/// Starts the exchanges inside the node of these ranks; hierarchical.cpp.
OperationList start_inside(Group& node, std::span<const int> ranks, EqualBlocks<const std::byte> in,
                           EqualBlocks<std::byte> out);

using AlltoallvFunction = Task(Group&, ConstBlocks in, Blocks out);
AlltoallvFunction alltoallv_board, alltoallv_flat, alltoallv_pairwise, alltoallv_hierarchical,
    alltoallv_shared;
Task alltoallw_flat(Group&, SeparateBlocks<const std::byte> in, SeparateBlocks<std::byte> out);
/// alltoallv_hierarchical sends longer blocks directly.
inline constexpr std::size_t kLongestCarried = 4 * 1024;

Task neighbor_allgather_flat(Group&, Neighbors, std::span<const std::byte> own, std::byte* all);
Task neighbor_allgatherv_flat(Group&, Neighbors, std::span<const std::byte> own, Blocks all);
Task neighbor_alltoall_flat(Group&, Neighbors, const std::byte* in, std::byte* out, std::size_t block_bytes);
Task neighbor_alltoallv_flat(Group&, Neighbors, ConstBlocks in, Blocks out);
Task neighbor_alltoallw_flat(Group&, Neighbors, SeparateBlocks<const std::byte> in,
                             SeparateBlocks<std::byte> out);

}  // namespace tutti::collectives
