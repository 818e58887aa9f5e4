// Blocks: where the part of each rank lies in a memory, and several of them as one message.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/group.hpp"

namespace tutti::collectives {

/// One block a rank, in rank order without gaps, all equally long. `Byte` is std::byte or const std::byte.
template <class Byte>
struct EqualBlocks {
    Byte* data = nullptr;
    std::size_t block_bytes = 0;

    std::span<Byte> operator[](int rank) const noexcept
    {
        return {data + static_cast<std::size_t>(rank) * block_bytes, block_bytes};
    }
};

/// One block a rank, each as long and where the spans say, which the caller keeps until the task has ended.
/// Blocks that are received must not overlap.
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

using Blocks = UnequalBlocks<std::byte>;
using ConstBlocks = UnequalBlocks<const std::byte>;

/// `all` as one block of each of `ranks` ranks.
inline EqualBlocks<std::byte> equal_blocks(std::span<std::byte> all, int ranks) noexcept
{
    return {all.data(), all.size() / static_cast<std::size_t>(ranks)};
}

/// The blocks of `count` ranks from `first` on, with rank 0 after the last one, as one message: straight from
/// or to their memory where they lie there in this order without gaps, else by way of a copy.
template <class Byte, template <class> class BlocksOf>
class Run {
public:
    Run(BlocksOf<Byte> blocks, int first, int count, int ranks)
        : blocks_(blocks), first_(first), count_(count), ranks_(ranks)
    {
        bool without_gaps = true;
        for (int index = 0; index < count_; ++index) {
            const std::span<Byte> next = block(index);
            if (next.empty()) {
                continue;
            }
            if (bytes_.empty()) {
                bytes_ = next;
                continue;
            }
            without_gaps = without_gaps && bytes_.data() + bytes_.size() == next.data();
            bytes_ = {bytes_.data(), bytes_.size() + next.size()};
        }
        if (!without_gaps) {
            copy_ = Group::scratch(bytes_.size());
        }
    }

    /// The message to send.
    std::span<const std::byte> packed() const noexcept
    {
        if (copy_.data() == nullptr) {
            return bytes_;
        }
        std::byte* to = copy_.data();
        for (int index = 0; index < count_; ++index) {
            const std::span<Byte> from = block(index);
            Group::copy({to, from.size()}, from);
            to += from.size();
        }
        return {copy_.data(), bytes_.size()};
    }

    /// Where to receive it; then call unpack().
    std::span<std::byte> arriving() const noexcept
    {
        return {copy_.data() == nullptr ? bytes_.data() : copy_.data(), bytes_.size()};
    }
    void unpack() const noexcept
    {
        if (copy_.data() == nullptr) {
            return;
        }
        const std::byte* from = copy_.data();
        for (int index = 0; index < count_; ++index) {
            const std::span<Byte> to = block(index);
            Group::copy(to, {from, to.size()});
            from += to.size();
        }
    }

private:
    std::span<Byte> block(int index) const noexcept
    {
        const int to_end = ranks_ - first_;
        return blocks_[index < to_end ? first_ + index : index - to_end];
    }

    BlocksOf<Byte> blocks_;
    int first_;
    int count_;
    int ranks_;
    std::span<Byte> bytes_;  // of the whole run; its address only where there is no copy
    Scratch copy_;
};

}  // namespace tutti::collectives
