// The algorithm for exchanges with neighbours; costs and sources are in its file. Parameters are those of
// collectives::neighbor_alltoall and the like. All of these are one algorithm.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/blocks.hpp"
#include "collectives/group.hpp"
#include "collectives/neighbors.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

Task neighbor_allgather_flat(Group& group, Neighbors neighbors, std::span<const std::byte> own,
                             std::byte* all);
Task neighbor_allgatherv_flat(Group& group, Neighbors neighbors, std::span<const std::byte> own, Blocks all);
Task neighbor_alltoall_flat(Group& group, Neighbors neighbors, const std::byte* in, std::byte* out,
                            std::size_t block_bytes);
Task neighbor_alltoallv_flat(Group& group, Neighbors neighbors, ConstBlocks in, Blocks out);

}  // namespace tutti::collectives
