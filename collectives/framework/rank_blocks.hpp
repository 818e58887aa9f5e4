// Blocks: the place of each rank's part in a memory, and several parts as one message.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/framework/group.hpp"

namespace tutti::collectives {

/// One block for each rank, in rank order without gaps, all of one size. `Byte` may be const.
template <class Byte>
struct EqualBlocks {
    Byte* data = nullptr;
    std::size_t block_bytes = 0;

    std::span<Byte> operator[](int rank) const noexcept
    {
        return {data + static_cast<std::size_t>(rank) * block_bytes, block_bytes};
    }
};

/// One block for each rank, with the sizes and places of the spans; the caller keeps these until the task has
/// ended. Received blocks must not overlap.
template <class Byte>
struct UnequalBlocks {
    Byte* data = nullptr;
    std::span<const std::size_t> sizes_bytes;    // by rank
    std::span<const std::size_t> offsets_bytes;  // by rank, from data

    std::span<Byte> operator[](int rank) const noexcept
    {
        const auto index = static_cast<std::size_t>(rank);
        return {data + offsets_bytes[index], sizes_bytes[index]};
    }
};

/// One block for each rank, each in memory of its own; the caller keeps the list until the task has ended.
template <class Byte>
struct SeparateBlocks {
    std::span<const std::span<std::byte>> blocks;  // by rank

    std::span<Byte> operator[](int rank) const noexcept { return blocks[static_cast<std::size_t>(rank)]; }
};

/// The same block for any rank.
template <class Byte>
struct OneBlock {
    std::span<Byte> block;

    std::span<Byte> operator[](int) const noexcept { return block; }
};

using Blocks = UnequalBlocks<std::byte>;
using ConstBlocks = UnequalBlocks<const std::byte>;

/// `all` as one block for each of `ranks` ranks.
inline EqualBlocks<std::byte> equal_blocks(std::span<std::byte> all, int ranks) noexcept
{
    return {all.data(), all.size() / static_cast<std::size_t>(ranks)};
}

/// `count` ranks from `first` on; rank 0 follows the last one.
class RanksInTurn {
public:
    RanksInTurn(int first, int count, int ranks) noexcept
        : first_(first), count_(count), to_end_(ranks - first)
    {
    }

    std::size_t size() const noexcept { return static_cast<std::size_t>(count_); }
    int operator[](std::size_t place) const noexcept
    {
        const auto index = static_cast<int>(place);
        return index < to_end_ ? first_ + index : index - to_end_;
    }

private:
    int first_;
    int count_;
    int to_end_;
};

/// The blocks of some ranks, in the order of `Ranks` (RanksInTurn, or a span of ranks that outlives this), as
/// one message. It uses their memory if they lie there in this order without gaps, else a copy.
template <class Byte, template <class> class BlocksOf, class Ranks>
class Run {
public:
    Run(BlocksOf<Byte> blocks, Ranks ranks) : blocks_(blocks), ranks_(ranks)
    {
        bool without_gaps = true;
        for (std::size_t index = 0; index < ranks_.size(); ++index) {
            const std::span<Byte> next = block(index);
            if (next.empty())
                continue;
            if (bytes_.empty()) {
                bytes_ = next;
                continue;
            }
            without_gaps = without_gaps && bytes_.data() + bytes_.size() == next.data();
            bytes_ = {bytes_.data(), bytes_.size() + next.size()};
        }
        if (!without_gaps)
            copy_ = Group::scratch(bytes_.size());
    }

    /// The message to send.
    std::span<const std::byte> packed() const noexcept
    {
        if (copy_.data() == nullptr)
            return bytes_;
        std::byte* to = copy_.data();
        for (std::size_t index = 0; index < ranks_.size(); ++index) {
            const std::span<Byte> from = block(index);
            Group::copy({to, from.size()}, from);
            to += from.size();
        }
        return {copy_.data(), bytes_.size()};
    }

    /// The memory to receive into; then call unpack().
    std::span<std::byte> arriving() const noexcept
    {
        return {copy_.data() == nullptr ? bytes_.data() : copy_.data(), bytes_.size()};
    }
    void unpack() const noexcept
    {
        if (copy_.data() == nullptr)
            return;
        const std::byte* from = copy_.data();
        for (std::size_t index = 0; index < ranks_.size(); ++index) {
            const std::span<Byte> to = block(index);
            Group::copy(to, {from, to.size()});
            from += to.size();
        }
    }

private:
    std::span<Byte> block(std::size_t index) const noexcept { return blocks_[ranks_[index]]; }

    BlocksOf<Byte> blocks_;
    Ranks ranks_;
    std::span<Byte> bytes_;  // of all blocks; the address is used only without a copy
    Scratch copy_;
};

}  // namespace tutti::collectives
