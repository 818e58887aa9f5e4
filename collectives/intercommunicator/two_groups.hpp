// The collectives of intercommunicators: they move data from each of two groups to the other.
//
// All but alltoall have three parts: one within the group that sends, a message between the leaders, and one
// within the group that receives. The leader of a group is its first rank. `groups` holds the ranks of both;
// all make the same calls in the same order. Otherwise as in collectives.hpp.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/framework/group.hpp"
#include "collectives/framework/partition.hpp"
#include "collectives/framework/rank_blocks.hpp"
#include "collectives/framework/task.hpp"

namespace tutti::collectives::inter {

/// Two groups in one: the `first_size` ranks of one group come first, in their order.
struct Groups {
    Group& both;
    int first_size;
};

/// The root of a rooted call is a rank of the other group, this rank, or another rank of the own group, which
/// then takes no part.
inline constexpr int kRootHere = -1;
inline constexpr int kRootBeside = -2;

/// Copies the root's `data` to all ranks of the other group.
Task broadcast(Groups groups, std::span<std::byte> data, int root);

/// Combines the elements that `in` points to at all ranks of the other group into `out` at the root.
/// out.count is the number of elements at every rank.
Task reduce(Groups groups, const std::byte* in, Buffer out, int root, ReduceOp op);

/// Copies a block of every rank of the other group into the root's `all`, in rank order without gaps; all are
/// equally long. `own` is used at the ranks of the other group only, `all` at the root only.
Task gather(Groups groups, std::span<const std::byte> own, std::span<std::byte> all, int root);
/// gather() of blocks of any sizes and places, without the leaders.
Task gatherv(Groups groups, std::span<const std::byte> own, Blocks all, int root);

/// The reverse of gather.
Task scatter(Groups groups, std::span<const std::byte> all, std::span<std::byte> own, int root);
Task scatterv(Groups groups, ConstBlocks all, std::span<std::byte> own, int root);

/// Copies a block of every rank of the other group to all ranks of the own. `all` has a block for each.
Task allgather(Groups groups, std::span<const std::byte> own, std::span<std::byte> all);
/// allgather() of blocks of any sizes and places. The sizes are equal at all ranks of the own group.
Task allgatherv(Groups groups, std::span<const std::byte> own, Blocks all);

/// Combines the elements of the other group's ranks into `out` at all ranks of the own.
Task allreduce(Groups groups, const std::byte* in, Buffer out, ReduceOp op);

/// Combines the elements of the other group's ranks (blocks.count() of them at every rank of both groups) and
/// leaves each rank of the own group its block. `blocks` is the same at all ranks of a group.
Task reduce_scatter(Groups groups, const std::byte* in, Partition blocks, Buffer out, ReduceOp op);

/// Sends a block to every rank of the other group and receives one from each.
Task alltoall(Groups groups, EqualBlocks<const std::byte> in, EqualBlocks<std::byte> out);
Task alltoallv(Groups groups, ConstBlocks in, Blocks out);
Task alltoallw(Groups groups, SeparateBlocks<const std::byte> in, SeparateBlocks<std::byte> out);

}  // namespace tutti::collectives::inter
