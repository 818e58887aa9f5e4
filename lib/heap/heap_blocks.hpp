// Blocks of memory: a good fit for each request, free neighbours joined.
//
// The memory is a row of blocks without gaps. Each begins with a header of 16 bytes before a cache line, so
// that the data begins with the line. Free blocks are in lists by size, 16 for each doubling. Their pages are
// kept for the next request until give_back_pages().
//
// A header has a mark that follows from its address, and what the block is used for: so free() tells blocks
// in use from all other addresses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/heap/pages.hpp"
#include "lib/heap/sizes.hpp"

namespace tutti::heap {

struct Block {
    static constexpr std::size_t kHeader = 16;

    enum State : std::uint64_t { in_use, free, kept };  // kept: for the next request, in no list of Blocks

    std::uint64_t word;  // the mark above the size with the header, a multiple of kLine, above the state
    Block* before;       // the neighbour at the lower address
    Block* next;         // free or kept by a thread: the next of its list
    Block* previous;     // free: the previous one

    static Block* of(void* data) noexcept
    {
        return reinterpret_cast<Block*>(static_cast<std::byte*>(data) - kHeader);
    }
    std::byte* start() noexcept { return reinterpret_cast<std::byte*>(this); }
    std::byte* data() noexcept { return start() + kHeader; }
    std::byte* end() noexcept { return start() + size(); }
    std::size_t size() const noexcept { return word & kSize; }
    std::size_t usable_bytes() const noexcept { return size() - kHeader; }

    /// Whether a block begins here that is in this state.
    bool is(State state) const noexcept { return ((word ^ own_mark()) & ~kSize) == state; }
    /// Whether a block began here that was freed, as far as nothing was written over it.
    bool was_freed() const noexcept { return is(free) || is(kept) || word == ~own_mark(); }
    void begin(std::size_t size) noexcept { word = own_mark() | size; }
    void become(State state) noexcept { word = (word & ~kState) | state; }
    /// `other`, which follows this block, becomes a part of it.
    void absorb(Block& other) noexcept
    {
        word += other.size();
        other.word = ~other.own_mark();
    }

private:
    static constexpr std::uint64_t kState = kLine - 1;
    static constexpr std::uint64_t kSize = (std::uint64_t{1} << 31) - kLine;
    static constexpr std::uint64_t kMark = ~((std::uint64_t{1} << 32) - 1);

    // Fibonacci hashing of its address.
    std::uint64_t own_mark() const noexcept
    {
        return reinterpret_cast<std::uintptr_t>(this) * std::uint64_t{0x9e3779b97f4a7c15} & kMark;
    }
};

/// Not for several threads at once.
class Blocks {
public:
    struct Taken {
        Block* block;  // nullptr: there is no room
        bool zeroed;   // its data is zero, except on pages that lie in it in part
    };

    /// Zeroed memory, `base` at the start of a page, at most Pages::kMostMemory.
    void start(std::byte* base, std::size_t bytes) noexcept;

    /// `size` with the header, a multiple of kLine. The data is aligned to `alignment`, a power of two, at
    /// least to kLine.
    Taken take(std::size_t size, std::size_t alignment = kLine) noexcept;
    void give(Block* block) noexcept;
    /// Lengthens or shortens the block in its place. False when there is no room.
    bool resize(Block* block, std::size_t size) noexcept;

    /// Gives pages back until free memory keeps `keep` bytes, or the rest lie between blocks in use.
    void give_back_pages(std::size_t keep, int advice) noexcept;
    /// Gives back pages that were free since before the last call.
    void give_back_old_pages(int advice) noexcept;

    std::size_t kept_bytes() const noexcept { return pages_.bytes(); }
    std::size_t used_bytes() const noexcept { return used_bytes_; }
    /// The end of what was ever in use.
    const std::byte* top() const noexcept { return top_; }

private:
    static constexpr std::size_t kLeast = 512;  // less is not cut off a block
    static constexpr std::size_t kLists = std::size_t{22} << kClassBits;
    static constexpr unsigned kMostLooks = 16;

    static std::size_t list_of(std::size_t size) noexcept;
    Block* lowest_in(std::size_t list) const noexcept;
    Block* find(std::size_t size) const noexcept;
    Block* after(Block* block) noexcept;
    void insert(Block* block) noexcept;
    void take_out(Block* block) noexcept;
    Block* cut_off(Block* block, std::size_t size) noexcept;
    template <class GoOn>
    void visit_long_free(GoOn go_on) noexcept;
    bool count_as_used(Block* block, const std::byte* from) noexcept;

    std::byte* end_ = nullptr;
    const std::byte* top_ = nullptr;
    std::size_t used_bytes_ = 0;
    Block* lists_[kLists] = {};
    std::uint64_t filled_[(kLists + 63) / 64] = {};  // a bit for each list that is not empty
    Pages pages_;
};

}  // namespace tutti::heap
