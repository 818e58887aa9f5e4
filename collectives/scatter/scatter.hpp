// The algorithms for scatter and scatterv; costs and sources are in the file of each. Parameters are those of
// collectives::scatter and scatterv.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/blocks.hpp"
#include "collectives/group.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

Task scatter_flat(Group& group, const std::byte* all, std::span<std::byte> own, int root);
Task scatter_binomial(Group& group, const std::byte* all, std::span<std::byte> own, int root);

Task scatter_hierarchical(Group& group, const std::byte* all, std::span<std::byte> own, int root);
Task scatterv_flat(Group& group, ConstBlocks all, std::span<std::byte> own, int root);
Task scatterv_hierarchical(Group& group, ConstBlocks all, std::span<std::byte> own, int root);

}  // namespace tutti::collectives
