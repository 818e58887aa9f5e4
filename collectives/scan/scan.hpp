// The algorithms for scan and exscan; costs and sources are in the file of each. Parameters are those of
// collectives::scan and collectives::exscan. All keep the operands in rank order.
#pragma once

#include <cstddef>

#include "collectives/group.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

Task scan_board(Group& group, const std::byte* in, Buffer out, ReduceOp op);
Task scan_flat(Group& group, const std::byte* in, Buffer out, ReduceOp op);
Task scan_hierarchical(Group& group, const std::byte* in, Buffer out, ReduceOp op);
Task scan_recursive_doubling(Group& group, const std::byte* in, Buffer out, ReduceOp op);

Task exscan_board(Group& group, const std::byte* in, Buffer out, ReduceOp op);
Task exscan_flat(Group& group, const std::byte* in, Buffer out, ReduceOp op);
Task exscan_hierarchical(Group& group, const std::byte* in, Buffer out, ReduceOp op);
Task exscan_recursive_doubling(Group& group, const std::byte* in, Buffer out, ReduceOp op);

}  // namespace tutti::collectives
