// Recursive halving: the part that Rabenseifner's algorithms and reduce_scatter have in common.
#pragma once

#include "collectives/group.hpp"
#include "collectives/partition.hpp"
#include "collectives/patterns.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

/// For the ranks of `fold` that are not out. In step k ranks whose folded ranks differ in bit k halve the
/// blocks that both still work on, send each other one half, and combine the other; so after log2(power)
/// steps every rank has combined one block of all, in `data`, whose other blocks are then worth nothing.
/// Operands are data.count elements at `in`: data.data, or apart from it.
///
/// Neighbours meet first, so partial results are always of consecutive ranks, the lower ones on the left:
/// operators need not commute. `blocks` has fold.power() parts, of data.count elements in all; both must live
/// until the task has ended.
///
/// Folded ranks 0 to 3 of 4, the blocks that they still have:
///     step    0       1       2       3
///             0123    0123    0123    0123
///     bit 0   01      23      01      23
///     bit 1   0       2       1       3
Task reduce_by_halving(Group& group, const std::byte* in, Buffer data, const Partition& blocks,
                       patterns::Fold fold, ReduceOp op);

/// The block with which a folded rank ends.
inline int halving_block(int folded, const patterns::Fold& fold) noexcept
{
    return patterns::reversed_bits(folded, patterns::ceil_log2(fold.power()));
}

}  // namespace tutti::collectives
