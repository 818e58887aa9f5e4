// Which pages of free memory may hold data: those that were in use and were not given back to the system
// since.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/heap/sizes.hpp"

namespace tutti::heap {

class Pages {
public:
    static constexpr std::size_t kMostMemory = std::size_t{1} << 30;

    /// `base` at the start of a page; at most kMostMemory behind it.
    void start(const std::byte* base) noexcept { base_ = base; }

    /// Memory that becomes free: all pages that it touches may hold data.
    void add(const std::byte* from, const std::byte* to) noexcept;
    /// Memory that is used from here on. True when the pages that lie in it as a whole are all zero.
    bool remove(const std::byte* from, const std::byte* to) noexcept;
    /// Gives back the whole pages of free memory, as madvise() does with `advice`.
    void give_back(std::byte* from, const std::byte* to, int advice) noexcept;
    /// Gives back only those that were free since before the last end_turn().
    void give_back_old(std::byte* from, const std::byte* to, int advice) noexcept;
    /// Nothing behind `to` was ever in use.
    void end_turn(const std::byte* to) noexcept;

    std::size_t bytes() const noexcept { return count_ * kPage; }
    /// Bytes of the whole pages in this memory that may hold data.
    std::size_t bytes_in(const std::byte* from, const std::byte* to) const noexcept;

private:
    static constexpr std::size_t kWordBits = 64;

    std::size_t page_at(const std::byte* address) const noexcept
    {
        return static_cast<std::size_t>(address - base_) / kPage;
    }
    std::size_t page_from(const std::byte* address) const noexcept { return page_at(address + kPage - 1); }
    template <class Function>
    static void visit(std::size_t first, std::size_t last, Function function) noexcept;
    template <class Words>
    static std::size_t find(std::size_t page, std::size_t last, Words words) noexcept;
    template <class Words>
    void give_back_those(std::byte* from, const std::byte* to, int advice, std::size_t least,
                         Words words) noexcept;

    const std::byte* base_ = nullptr;
    std::size_t count_ = 0;
    static constexpr std::size_t kWords = kMostMemory / kPage / kWordBits;
    std::uint64_t held_[kWords] = {};
    std::uint64_t recent_[kWords] = {};  // became free in this turn
};

}  // namespace tutti::heap
