// The algorithms for reduce; costs and sources are in the file of each. Parameters are those of
// collectives::reduce. All keep the operands in rank order where the operator does not commute.
#pragma once

#include <cstddef>

#include "collectives/group.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

Task reduce_flat(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op);
Task reduce_binomial(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op);
Task reduce_knomial(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op);
Task reduce_hierarchical(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op);
Task reduce_rabenseifner(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op);
Task reduce_chain(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op,
                  std::size_t segment_bytes);

}  // namespace tutti::collectives
