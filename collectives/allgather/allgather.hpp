// The algorithms for allgather and allgatherv; costs and sources are in the file of each. Parameters are
// those of collectives::allgather and allgatherv. A pair of the same name is one algorithm.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/blocks.hpp"
#include "collectives/group.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

Task allgather_board(Group& group, const std::byte* own, std::span<std::byte> all);
Task allgather_flat(Group& group, const std::byte* own, std::span<std::byte> all);
Task allgather_ring(Group& group, const std::byte* own, std::span<std::byte> all);
Task allgather_recursive_doubling(Group& group, const std::byte* own, std::span<std::byte> all);
Task allgather_bruck(Group& group, const std::byte* own, std::span<std::byte> all);
Task allgather_hierarchical(Group& group, const std::byte* own, std::span<std::byte> all);

Task allgatherv_board(Group& group, const std::byte* own, Blocks all);
Task allgatherv_flat(Group& group, const std::byte* own, Blocks all);
Task allgatherv_ring(Group& group, const std::byte* own, Blocks all);
Task allgatherv_recursive_doubling(Group& group, const std::byte* own, Blocks all);
Task allgatherv_bruck(Group& group, const std::byte* own, Blocks all);
Task allgatherv_hierarchical(Group& group, const std::byte* own, Blocks all);

}  // namespace tutti::collectives
