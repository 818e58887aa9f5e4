// The collective operations: each chooses an algorithm (see choice.hpp) and returns its task, ready to start.
//
// The files of the algorithms state costs in steps: units of time until the end, if a message takes one unit
// and a rank sends at most one message and receives at most one at a time. A chain is the longest sequence of
// messages in which each waits for the one before: the remaining time if a rank can transfer all its messages
// at once. n is the bytes of the buffer.
//
// All ranks of the group make the same calls in the same order, with the same root, sizes and operator.
// Buffers and the group must live until the task has ended. `named` is the algorithm that the call names, if
// any; tutti::Error (invalid_argument) is thrown if it cannot do the call.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/framework/group.hpp"
#include "collectives/framework/neighbors.hpp"
#include "collectives/framework/partition.hpp"
#include "collectives/framework/rank_blocks.hpp"
#include "collectives/framework/task.hpp"

namespace tutti::collectives {

/// Ends at no rank before all ranks have started it.
Task barrier(Group& group, Selection named = {});

/// Copies the root's `data` to all ranks.
Task broadcast(Group& group, std::span<std::byte> data, int root, Selection named = {});

/// Combines the elements that `in` points to (out.count of them at every rank) into out.data at the root.
///
/// `in` is not written to unless it is out.data: in place. At other ranks than the root, out.data is working
/// memory, or nullptr: a rank that combines then takes memory of its own.
Task reduce(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op, Selection named = {});

/// Combines the elements that `in` points to (out.count of them at every rank) into `out` at all ranks. `in`
/// is out.data (in place), or separate and not written to. The result is bitwise equal at all ranks.
Task allreduce(Group& group, const std::byte* in, Buffer out, ReduceOp op, Selection named = {});

/// Combines the elements that `in` points to (blocks.count() of them at every rank, with the same blocks, one
/// for each rank) and leaves each rank's block in its `out`, which has the size of the block. `in` is not
/// written to and does not overlap `out`. n is the bytes of all blocks.
Task reduce_scatter(Group& group, const std::byte* in, Partition blocks, Buffer out, ReduceOp op,
                    Selection named = {});
/// In place: `data` holds all blocks. Its first elements become the own result; the rest is unchanged.
Task reduce_scatter_in_place(Group& group, Buffer data, Partition blocks, ReduceOp op, Selection named = {});

/// Combines the elements that `in` points to (out.count of them) of ranks 0 to this one into `out`, in rank
/// order. `in` may be out.data: in place.
Task scan(Group& group, const std::byte* in, Buffer out, ReduceOp op, Selection named = {});

/// scan() over ranks 0 to the one below this one. Rank 0's `out` is unchanged.
Task exscan(Group& group, const std::byte* in, Buffer out, ReduceOp op, Selection named = {});

/// Copies one block of every rank to all ranks, in rank order without gaps, all equally long. `own` is this
/// rank's block: outside `all`, or at its place in it (in place). n is the bytes of `all`.
Task allgather(Group& group, const std::byte* own, std::span<std::byte> all, Selection named = {});

/// allgather() of blocks of any sizes and places; sizes are equal at all ranks, places may differ.
Task allgatherv(Group& group, const std::byte* own, Blocks all, Selection named = {});

/// broadcast and allgather as the one step of a call of another kind. `call` describes that call.
Task broadcast_as(Group& group, Call call, std::span<std::byte> data, int root);
Task allgather_as(Group& group, Call call, const std::byte* own, std::span<std::byte> all);

/// Copies one block of every rank into the root's `all`, in rank order without gaps; `all` is unused at other
/// ranks. All blocks are as long as `own`, which at the root may be at its place in `all` (in place). n is
/// the bytes of all blocks.
Task gather(Group& group, std::span<const std::byte> own, std::byte* all, int root, Selection named = {});

/// gather() of blocks of any sizes and places, known only to the root; each rank knows its own size.
Task gatherv(Group& group, std::span<const std::byte> own, Blocks all, int root, Selection named = {});

/// Copies to every rank its block of the root's `all`, where blocks are in rank order without gaps; `all` is
/// unused at other ranks. All blocks are as long as `own`, which at the root may be at its place in `all` (in
/// place). n is the bytes of all blocks.
Task scatter(Group& group, const std::byte* all, std::span<std::byte> own, int root, Selection named = {});

/// scatter() of blocks of any sizes and places, known only to the root; each rank knows its own size.
Task scatterv(Group& group, ConstBlocks all, std::span<std::byte> own, int root, Selection named = {});

/// Copies block b of `in` at rank a to block a of `out` at rank b, for all pairs of ranks. `in` is as long as
/// `out` and does not overlap it. All blocks are equally long; n is the bytes of one.
Task alltoall(Group& group, const std::byte* in, std::span<std::byte> out, Selection named = {});

/// alltoall() of blocks of any sizes and places; both ranks of a block know its size.
Task alltoallv(Group& group, ConstBlocks in, Blocks out, Selection named = {});

/// alltoallv() with every block in memory of its own. The one algorithm is alltoall/flat.cpp.
Task alltoallw(Group& group, SeparateBlocks<const std::byte> in, SeparateBlocks<std::byte> out);

/// alltoall in place: block a of rank b's `data` replaces block b of rank a's. Uses the board if alltoall
/// would use it, else alltoall/in_place.cpp.
Task alltoall_in_place(Group& group, std::span<std::byte> data, Selection named = {});

/// alltoall_in_place() of blocks of any sizes and places; two ranks send each other equal sizes.
Task alltoallv_in_place(Group& group, Blocks data, Selection named = {});

// Exchanges with neighbours only. Their spans must live until the task has ended. Blocks of sources that are
// no ranks are unchanged. The one algorithm is neighbor_alltoall/flat.cpp.

/// Copies `own` to all destinations. `all` has an equally long block for each source.
Task neighbor_allgather(Group& group, Neighbors neighbors, std::span<const std::byte> own, std::byte* all);

/// neighbor_allgather() with a block of any size and place for each source, as long as the source's block.
Task neighbor_allgatherv(Group& group, Neighbors neighbors, std::span<const std::byte> own, Blocks all);

/// Sends each destination a block of `in`, and receives a block of `out` from each source; all blocks are
/// equally long. `in` and `out` do not overlap.
Task neighbor_alltoall(Group& group, Neighbors neighbors, const std::byte* in, std::byte* out,
                       std::size_t block_bytes);

/// neighbor_alltoall() of blocks of any sizes and places; both ranks of a block know its size.
Task neighbor_alltoallv(Group& group, Neighbors neighbors, ConstBlocks in, Blocks out);

}  // namespace tutti::collectives
