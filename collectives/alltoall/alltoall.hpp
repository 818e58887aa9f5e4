// The algorithms for alltoall and alltoallv; costs and sources are in the file of each, where n is the bytes
// of one block. Parameters are those of collectives::alltoall and alltoallv. A pair of the same name is one
// algorithm.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/blocks.hpp"
#include "collectives/group.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

Task alltoall_flat(Group& group, const std::byte* in, std::span<std::byte> out);
Task alltoall_pairwise(Group& group, const std::byte* in, std::span<std::byte> out);
Task alltoall_bruck(Group& group, const std::byte* in, std::span<std::byte> out);

/// The parameters of alltoall only; in place where `in` is out.data().
Task alltoall_board(Group& group, const std::byte* in, std::span<std::byte> out);

/// The parameters of alltoall only.
Task alltoall_hierarchical(Group& group, const std::byte* in, std::span<std::byte> out);
Task alltoall_lanes(Group& group, const std::byte* in, std::span<std::byte> out);
/// Starts what stays on the node of these ranks; hierarchical.cpp.
OperationList start_inside(Group& node, std::span<const int> ranks, EqualBlocks<const std::byte> in,
                           EqualBlocks<std::byte> out);
/// What alltoall_in_place does where there is no board; in_place.cpp.
Task alltoall_in_pairs(Group& group, std::span<std::byte> data);

Task alltoallv_board(Group& group, ConstBlocks in, Blocks out);
Task alltoallv_flat(Group& group, ConstBlocks in, Blocks out);
Task alltoallv_pairwise(Group& group, ConstBlocks in, Blocks out);
/// Longer blocks go straight.
inline constexpr std::size_t kLongestCarried = 4 * 1024;
Task alltoallv_hierarchical(Group& group, ConstBlocks in, Blocks out);

}  // namespace tutti::collectives
