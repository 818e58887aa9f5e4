// The collective operations: each picks an algorithm (see choice.hpp) and returns its task, ready to be
// started.
//
// The files of the algorithms state costs in steps: the units of time until the end when a message takes one,
// and a rank has at most one message going out and one coming in at a time. A chain is the most messages of
// which each waits for the one before, the time that remains when ranks can do all their messages at once. n
// is the bytes of the buffer.
//
// All ranks of the group make the same calls in the same order, with the same root, sizes and operator.
// Buffers and the group must live until the task has ended. `named` is the algorithm that the call names, if
// it does; tutti::Error (invalid_argument) is thrown where that one cannot do the call.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/blocks.hpp"
#include "collectives/group.hpp"
#include "collectives/neighbors.hpp"
#include "collectives/partition.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

/// Ends at no rank before it was started at all.
Task barrier(Group& group, Selection named = {});

/// Copies the root's `data` to all.
Task broadcast(Group& group, std::span<std::byte> data, int root, Selection named = {});

/// Combines the elements that `in` points to (out.count of them at every rank) into out.data at the root.
///
/// `in` is not written to unless it is out.data: in place. At ranks other than the root out.data is working
/// memory, or nullptr: then a rank that has to combine something takes memory of its own.
Task reduce(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op, Selection named = {});

/// Combines the elements that `in` points to (out.count of them at every rank) into `out` at all ranks. `in`
/// is out.data (in place), or apart from it and not written to. The result is the same bit by bit everywhere.
Task allreduce(Group& group, const std::byte* in, Buffer out, ReduceOp op, Selection named = {});

/// Combines the elements that `in` points to (blocks.count() of them at every rank, all ranks with the same
/// blocks, one a rank) and leaves at each rank its block in `out`, which has as many elements as that. `in`
/// is not written to; it and `out` do not overlap. n is the bytes of all blocks.
Task reduce_scatter(Group& group, const std::byte* in, Partition blocks, Buffer out, ReduceOp op,
                    Selection named = {});
/// In place: `data` is all blocks, of which the first elements become the own result; the rest is left alone.
Task reduce_scatter_in_place(Group& group, Buffer data, Partition blocks, ReduceOp op, Selection named = {});

/// Combines the elements that `in` points to (out.count of them) of ranks 0 to the own one into `out`, in
/// rank order. `in` may be out.data: in place.
Task scan(Group& group, const std::byte* in, Buffer out, ReduceOp op, Selection named = {});

/// The same of ranks 0 to the one below. Rank 0's `out` is left alone.
Task exscan(Group& group, const std::byte* in, Buffer out, ReduceOp op, Selection named = {});

/// Brings one block of every rank to all, in rank order without gaps, all equally long. `own` is a rank's
/// block: apart from `all`, or in it at its place already (in place). n is the bytes of `all`.
Task allgather(Group& group, const std::byte* own, std::span<std::byte> all, Selection named = {});

/// The same with blocks of any sizes and places; the sizes are the same at all ranks, the places need not be.
Task allgatherv(Group& group, const std::byte* own, Blocks all, Selection named = {});

/// Brings one block of every rank to the root, into `all` there, in rank order without gaps; `all` is not
/// used elsewhere. All blocks are as long as `own`, which at the root may lie in `all` at its place: in
/// place. n is the bytes of all blocks.
Task gather(Group& group, std::span<const std::byte> own, std::byte* all, int root, Selection named = {});

/// The same with blocks of any sizes and places, which the root alone knows; each rank knows its own size.
Task gatherv(Group& group, std::span<const std::byte> own, Blocks all, int root, Selection named = {});

/// Brings every rank its block out of the root's `all`, where they lie in rank order without gaps; `all` is
/// not used elsewhere. All blocks are as long as `own`, which at the root may lie in `all` at its place: in
/// place. n is the bytes of all blocks.
Task scatter(Group& group, const std::byte* all, std::span<std::byte> own, int root, Selection named = {});

/// The same with blocks of any sizes and places, which the root alone knows; each rank knows its own size.
Task scatterv(Group& group, ConstBlocks all, std::span<std::byte> own, int root, Selection named = {});

/// Brings block b of `in` at rank a to block a of `out` at rank b, for all pairs of ranks. `in` is as long as
/// `out` and does not overlap it. All blocks are equally long; n is the bytes of one.
Task alltoall(Group& group, const std::byte* in, std::span<std::byte> out, Selection named = {});

/// The same with blocks of any sizes and places; sender and receiver know the size of the block between them.
Task alltoallv(Group& group, ConstBlocks in, Blocks out, Selection named = {});

/// The same in place: block b of `data` at rank a is replaced by block a of rank b's. Where an alltoall would
/// use the board, so does this; otherwise there is one algorithm, alltoall/in_place.cpp.
Task alltoall_in_place(Group& group, std::span<std::byte> data, Selection named = {});

/// With blocks of any sizes and places; what two ranks send each other is equally long.
Task alltoallv_in_place(Group& group, Blocks data, Selection named = {});

// Exchanges with neighbours alone, whose spans must live until the task has ended. Blocks of sources that are
// nobody are left alone. There is one algorithm, neighbor_alltoall/flat.cpp.

/// Brings `own` to all destinations. `all` has a block as long as that for each source.
Task neighbor_allgather(Group& group, Neighbors neighbors, std::span<const std::byte> own, std::byte* all);

/// The same with a block of any size and place for each source, as long as what that one sends.
Task neighbor_allgatherv(Group& group, Neighbors neighbors, std::span<const std::byte> own, Blocks all);

/// Brings each destination a block of `in`, and a block of `out` from each source; all blocks are equally
/// long. `in` and `out` do not overlap.
Task neighbor_alltoall(Group& group, Neighbors neighbors, const std::byte* in, std::byte* out,
                       std::size_t block_bytes);

/// The same with blocks of any sizes and places; sender and receiver know the size of the block between them.
Task neighbor_alltoallv(Group& group, Neighbors neighbors, ConstBlocks in, Blocks out);

}  // namespace tutti::collectives
