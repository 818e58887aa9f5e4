// Memory that the program may not free yet. The heap that tuttirun preloads tells of each block that is
// freed; where it is not preloaded, nothing is found.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/check/call_site.hpp"
#include "tutti/buffer.hpp"

namespace tutti::check {

/// The buffers of a call by their lowest bytes, each once. Buffers without bytes are left out.
std::vector<const std::byte*> lowest_bytes(std::span<const detail::ConstView> buffers);

/// Buffers of a call that uses them as long as this object lives. Any thread.
class BorrowedMemory {
public:
    /// What becomes of a block that has one of the buffers when it is freed. Kept: it is not given back,
    /// ever, so that what an operation reads and writes then remains its own.
    enum class Freed { kept, given_back };

    /// Whether anything is found: the heap is preloaded, and the program frees blocks by its free(). From the
    /// first call on, all frees are watched.
    static bool finds_frees();

    /// `buffers`: lowest_bytes().
    BorrowedMemory(std::span<const std::byte* const> buffers, Freed freed);
    BorrowedMemory(const BorrowedMemory&) = delete;
    BorrowedMemory& operator=(const BorrowedMemory&) = delete;
    ~BorrowedMemory();

    /// "its buffer was freed before the start, by main at a.c:7; free it ...", if one was: of the first.
    /// `remedy` is for programs in C.
    std::optional<std::string> mistake(std::string_view before, std::string_view remedy) const;

private:
    static bool keeps(const void* block, std::size_t bytes) noexcept;

    const std::vector<const std::byte*> buffers_;
    const Freed freed_;
    mutable std::optional<Site> freed_at_;  // under the lock of all
};

}  // namespace tutti::check
