// Blocks behind their sizes, in memory that their receivers read: a share for each pair of ranks. A block
// that does not fit travels as a message. Both ranks of a block know its size, and so whether it does.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "collectives/framework/group.hpp"
#include "tutti/error.hpp"

namespace tutti::collectives {

class SizedBlocks {
public:
    explicit SizedBlocks(std::size_t share_bytes) noexcept : share_bytes_(share_bytes) {}

    std::size_t share_bytes() const noexcept { return share_bytes_; }
    bool fits(std::size_t size_bytes) const noexcept
    {
        return says_sizes() && size_bytes <= share_bytes_ - kSizeBytes;
    }
    void leave(std::byte* share, std::span<const std::byte> block) const noexcept
    {
        if (!says_sizes())
            return;
        const std::uint64_t size_bytes = block.size();
        std::memcpy(share, &size_bytes, kSizeBytes);
        if (fits(block.size()))
            Group::copy({share + kSizeBytes, block.size()}, block);
    }
    /// False if the sender's block has another size; then nothing is taken.
    bool take(const std::byte* share, std::span<std::byte> block) const noexcept
    {
        if (!says_sizes())
            return true;
        if (size_in(share) != block.size())
            return false;
        if (fits(block.size()))
            Group::copy(block, {share + kSizeBytes, block.size()});
        return true;
    }
    /// For a share that take() has refused.
    static Error mismatch(const char* operation, const std::byte* share, int from, int to,
                          std::size_t expected_bytes)
    {
        return Error(ErrorCode::truncated, operation,
                     fmt::format("rank {} has a block of {} bytes for rank {}, which expects {}; both sides "
                                 "must use the same count",
                                 from, size_in(share), to, expected_bytes),
                     from);
    }

private:
    static constexpr std::size_t kSizeBytes = sizeof(std::uint64_t);

    static std::uint64_t size_in(const std::byte* share) noexcept
    {
        std::uint64_t size_bytes = 0;
        std::memcpy(&size_bytes, share, kSizeBytes);
        return size_bytes;
    }
    // False if very many ranks share the memory: then all blocks are messages.
    bool says_sizes() const noexcept { return share_bytes_ >= kSizeBytes; }

    std::size_t share_bytes_;
};

}  // namespace tutti::collectives
