// The algorithms for reduce_scatter; costs and sources are in the file of each. Parameters are those of
// collectives::reduce_scatter. n is the bytes of all blocks.
#pragma once

#include <cstddef>

#include "collectives/group.hpp"
#include "collectives/partition.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

Task reduce_scatter_board(Group& group, const std::byte* in, Partition blocks, Buffer out, ReduceOp op);
Task reduce_scatter_flat(Group& group, const std::byte* in, Partition blocks, Buffer out, ReduceOp op);
Task reduce_scatter_hierarchical(Group& group, const std::byte* in, Partition blocks, Buffer out,
                                 ReduceOp op);
Task reduce_scatter_recursive_halving(Group& group, const std::byte* in, Partition blocks, Buffer out,
                                      ReduceOp op);
/// Commuting operators only.
Task reduce_scatter_ring(Group& group, const std::byte* in, Partition blocks, Buffer out, ReduceOp op);

}  // namespace tutti::collectives
