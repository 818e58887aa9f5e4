// PackedBlocks: sizes and places of blocks without gaps, and how a leader learns those of its node's ranks.
#pragma once

#include <cstddef>
#include <vector>

#include "collectives/framework/rank_blocks.hpp"
#include "collectives/framework/task.hpp"
#include "collectives/hierarchy/hierarchy.hpp"

namespace tutti::collectives {

/// Outlives the tasks that use in().
class PackedBlocks {
public:
    PackedBlocks() = default;
    explicit PackedBlocks(std::size_t expected)
    {
        sizes_bytes_.reserve(expected);
        offsets_bytes_.reserve(expected);
    }
    /// One block for each node: the blocks of its ranks, `size_of(rank)` bytes each.
    template <class SizeOf>
    static PackedBlocks of_nodes(const NodeMap& nodes, SizeOf size_of)
    {
        PackedBlocks made(static_cast<std::size_t>(nodes.count()));
        for (int node = 0; node < nodes.count(); ++node) {
            std::size_t size_bytes = 0;
            for (const int rank : nodes.members(node))
                size_bytes += size_of(rank);
            made.add(size_bytes);
        }
        return made;
    }

    void add(std::size_t size_bytes)
    {
        offsets_bytes_.push_back(total_bytes_);
        sizes_bytes_.push_back(size_bytes);
        total_bytes_ += size_bytes;
    }
    std::size_t total_bytes() const noexcept { return total_bytes_; }
    template <class Byte>
    UnequalBlocks<Byte> in(Byte* data) const noexcept
    {
        return {data, sizes_bytes_, offsets_bytes_};
    }

private:
    std::vector<std::size_t> sizes_bytes_;
    std::vector<std::size_t> offsets_bytes_;
    std::size_t total_bytes_ = 0;
};

/// Adds the sizes of the node's ranks to the leader's `blocks`, by a gather of 8 bytes; other ranks' `blocks`
/// is unchanged. All ranks of the node call it.
Task collect_sizes(Hierarchy& hierarchy, std::size_t own_bytes, PackedBlocks& blocks);

}  // namespace tutti::collectives
