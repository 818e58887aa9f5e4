// Recursive halving: the common part of Rabenseifner's algorithms and reduce_scatter.
#pragma once

#include "collectives/framework/group.hpp"
#include "collectives/framework/partition.hpp"
#include "collectives/framework/patterns.hpp"
#include "collectives/framework/task.hpp"

namespace tutti::collectives {

/// For the ranks of `fold` that are not out. In step k ranks whose folded ranks differ in bit k halve the
/// blocks that both still combine, send each other one half, and combine the other. After log2(power) steps
/// every rank holds one combined block in `data`; the other blocks there are undefined. Operands are
/// data.count elements at `in`: data.data, or separate memory.
///
/// Neighbours exchange first, so partial results always cover consecutive ranks, the lower ones on the left:
/// operators need not commute. `blocks` has fold.power() parts, data.count elements in all; both must live
/// until the task has ended.
///
/// Folded ranks 0 to 3 of 4, with their remaining blocks:
///     step    0       1       2       3
///             0123    0123    0123    0123
///     bit 0   01      23      01      23
///     bit 1   0       2       1       3
Task reduce_by_halving(Group& group, const std::byte* in, Buffer data, const Partition& blocks,
                       patterns::Fold fold, ReduceOp op);

/// The final block of a folded rank.
inline int halving_block(int folded, const patterns::Fold& fold) noexcept
{
    return patterns::reversed_bits(folded, patterns::ceil_log2(fold.power()));
}

}  // namespace tutti::collectives
