// Buffers that the program may not free yet. The heap that tuttirun preloads tells of each block that is
// freed; where it is not preloaded, nothing is found.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lib/core/check/call_site.hpp"
#include "lib/foundation/datatype/typemap.hpp"

namespace tutti::check {

/// Any thread.
class WatchedBuffer {
public:
    /// What becomes of the block that the buffer is in when it is freed. Kept: it is not given back, ever, so
    /// that what an operation reads and writes then remains its own.
    enum class Freed { kept, given_back };

    /// `data` has `size_bytes` bytes of elements of this layout, or side by side if it is nullptr.
    WatchedBuffer(const void* data, std::size_t size_bytes, const datatype::Typemap* layout, Freed freed);
    WatchedBuffer(const WatchedBuffer&) = delete;
    WatchedBuffer& operator=(const WatchedBuffer&) = delete;
    ~WatchedBuffer();

    /// "its buffer was freed before the start, by main at a.c:7; free it ...", if it was.
    std::optional<std::string> mistake(std::string_view before) const;

private:
    static bool keeps(const void* block, std::size_t bytes) noexcept;
    static void watch_frees();

    const std::byte* const first_;
    const Freed freed_;
    std::optional<Site> freed_at_;
};

}  // namespace tutti::check
