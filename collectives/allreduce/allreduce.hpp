// The algorithms for allreduce; costs and sources are in the file of each. All keep the operands in rank
// order where the operator does not commute.
#pragma once

#include "collectives/group.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

Task allreduce_board(Group& group, const std::byte* in, Buffer out, ReduceOp op);
Task allreduce_flat(Group& group, const std::byte* in, Buffer out, ReduceOp op);
Task allreduce_binomial(Group& group, const std::byte* in, Buffer out, ReduceOp op);
Task allreduce_recursive_doubling(Group& group, const std::byte* in, Buffer out, ReduceOp op);
Task allreduce_hierarchical(Group& group, const std::byte* in, Buffer out, ReduceOp op);
Task allreduce_rabenseifner(Group& group, const std::byte* in, Buffer out, ReduceOp op);
/// Commuting operators only.
Task allreduce_ring(Group& group, const std::byte* in, Buffer out, ReduceOp op);

}  // namespace tutti::collectives
