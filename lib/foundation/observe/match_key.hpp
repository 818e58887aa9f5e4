// By what a message finds its receive.
#pragma once

#include <cstdint>

namespace tutti::observe {

/// What a receive waits for, or the envelope of a message. Two whole words: a key written in pieces and read
/// at once waits for the core's store buffer.
struct MatchKey {
    std::uint64_t context = 0;
    std::uint64_t source_and_tag = 0;

    MatchKey() = default;
    /// `source` is a rank of the communicator or any_source; `tag` may be any_tag.
    MatchKey(std::uint64_t in_context, std::int32_t source, std::int32_t tag) noexcept
        : context(in_context),
          source_and_tag(std::uint64_t{static_cast<std::uint32_t>(source)} << 32 |
                         static_cast<std::uint32_t>(tag))
    {
    }

    std::int32_t source() const noexcept { return static_cast<std::int32_t>(source_and_tag >> 32); }
    std::int32_t tag() const noexcept { return static_cast<std::int32_t>(source_and_tag & 0xffffffff); }

    friend bool operator==(const MatchKey&, const MatchKey&) = default;
};

}  // namespace tutti::observe
