// The algorithms for gather and gatherv; costs and sources are in the file of each. Parameters are those of
// collectives::gather and gatherv.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/blocks.hpp"
#include "collectives/group.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

Task gather_flat(Group& group, std::span<const std::byte> own, std::byte* all, int root);
Task gather_binomial(Group& group, std::span<const std::byte> own, std::byte* all, int root);

Task gather_hierarchical(Group& group, std::span<const std::byte> own, std::byte* all, int root);
Task gatherv_flat(Group& group, std::span<const std::byte> own, Blocks all, int root);
Task gatherv_hierarchical(Group& group, std::span<const std::byte> own, Blocks all, int root);

}  // namespace tutti::collectives
