// The algorithms for broadcast; costs and sources are in the file of each.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/group.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

Task broadcast_flat(Group& group, std::span<std::byte> data, int root);
Task broadcast_hierarchical(Group& group, std::span<std::byte> data, int root);
Task broadcast_binomial(Group& group, std::span<std::byte> data, int root);
Task broadcast_knomial(Group& group, std::span<std::byte> data, int root);
Task broadcast_binary_tree(Group& group, std::span<std::byte> data, int root, std::size_t segment_bytes);
Task broadcast_chain(Group& group, std::span<std::byte> data, int root, std::size_t segment_bytes);
Task broadcast_scatter_allgather(Group& group, std::span<std::byte> data, int root);

}  // namespace tutti::collectives
