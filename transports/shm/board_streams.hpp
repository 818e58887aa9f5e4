// Streams of the members of a board: each member leaves chunks of data that others read later. A writer runs
// ahead of its readers until all cells of its stream are in use, so a writer that nobody waits for waits for
// nobody.
//
// All streams have one common position. Every member passes every position, once it needs nothing of it any
// more. A cell is written again when all members have passed the position that it was written at.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transports/shm/record.hpp"

namespace tutti::transport::shm {

/// One member's view of the memory of all streams, which begins zero-filled. Members pass the same positions
/// with the same keys: a chunk is seen only by those that have the writer's key.
class BoardStreams {
public:
    static constexpr std::size_t kChunkBytes = 8192;
    /// The size of a chunk whose readers do not know it.
    static constexpr std::size_t kAnySize = static_cast<std::size_t>(-1);
    static constexpr std::uint64_t kCells = 8;

    static std::size_t size_bytes(std::uint32_t members) noexcept
    {
        return sizeof(Header) + members * (sizeof(Passed) + kCells * sizeof(Cell));
    }

    BoardStreams() = default;
    BoardStreams(std::byte* base, std::uint32_t members, std::uint32_t own) noexcept
        : header_(reinterpret_cast<Header*>(base)),
          passed_(reinterpret_cast<Passed*>(base + sizeof(Header))),
          cells_(reinterpret_cast<Cell*>(base + sizeof(Header) + members * sizeof(Passed))),
          members_(members),
          own_(own)
    {
    }

    /// Sets the key of the positions from here on.
    void set_key(std::uint64_t key) noexcept { key_ = key << kPositionBits; }

    /// Whether this member's next chunk has a place.
    bool has_room() noexcept
    {
        if (position_ < room_until_) [[likely]]
            return true;
        std::uint64_t slowest = position_;
        for (std::uint32_t i = 0; i < members_; ++i)
            slowest = std::min(slowest, passed_by(i));
        room_until_ = slowest + kCells;
        return position_ < room_until_;
    }
    /// Whether `member` keeps this one from writing.
    bool is_in_the_way(std::uint32_t member) const noexcept
    {
        return member != own_ && passed_by(member) + kCells <= position_;
    }
    /// Where this member writes at this position, if it has room.
    std::byte* own_chunk(std::size_t size_bytes) const noexcept { return place(own_, size_bytes); }
    /// Shows own_chunk() to the others. `lends`: see any_lends().
    void publish(bool lends) noexcept
    {
        Cell& own = cell(own_);
        own.lends = lends;
        own.mark.store(mark(), std::memory_order_release);
        own_next();
        published_ = true;
        own_lends_ = lends;
    }
    /// For two members: whether one of them said, at the last position where both published, that peers can
    /// map memory of its program. Both get the same answer once they have passed that position. True before.
    bool any_lends() const noexcept { return any_lends_; }

    bool has_chunk(std::uint32_t member) const noexcept
    {
        return cell(member).mark.load(std::memory_order_acquire) == mark();
    }
    /// has_chunk(), up to `looks` times.
    bool looks_for_chunk(std::uint32_t member, unsigned looks) const noexcept
    {
        const std::atomic<std::uint64_t>& found = cell(member).mark;
        const std::uint64_t wanted = mark();
        for (; looks != 0; --looks)
            if (found.load(std::memory_order_acquire) == wanted)
                return true;
        return false;
    }
    /// What `member` has published at this position, `size_bytes` long; valid until pass().
    const std::byte* chunk(std::uint32_t member, std::size_t size_bytes) const noexcept
    {
        return place(member, size_bytes);
    }
    /// Where two members both publish at a position, each has read the other's chunk by then.
    void pass() noexcept
    {
        if (published_ && members_ == 2)
            learn_from(1 - own_);
        published_ = false;
        passed_[own_].position.store(++position_, std::memory_order_release);
    }

    /// Writers that wait for room, and so for a pass().
    std::atomic<std::uint32_t>& waiting() const noexcept { return header_->waiting; }

private:
    struct Header {
        alignas(kLine) std::atomic<std::uint32_t> waiting;
    };
    struct alignas(kLine) Passed {
        // Of the first position that the member has not passed. Release by the member, when it has read;
        // acquire by writers, before they write again.
        std::atomic<std::uint64_t> position;
    };
    // Data of up to kBeside bytes lies in the line of the mark: it arrives with it. So does the start of data
    // whose readers do not know its size. Other data begins with a line.
    static constexpr std::size_t kBeside = kLine - 16;
    struct Cell {
        // Release by the writer, after the data; acquire by the readers.
        alignas(kLine) std::atomic<std::uint64_t> mark;
        bool lends;
        alignas(16) std::byte data[kBeside + kChunkBytes];
    };
    static constexpr int kPositionBits = 40;

    std::uint64_t passed_by(std::uint32_t member) const noexcept
    {
        return passed_[member].position.load(std::memory_order_acquire);
    }
    Cell& cell(std::uint32_t member) const noexcept { return cells_[member * kCells + position_ % kCells]; }
    void learn_from(std::uint32_t other) noexcept
    {
        if (!has_chunk(other))
            return;
        any_lends_ = own_lends_ || cell(other).lends;
        room_until_ = position_ + kCells;  // a member that has published here has passed all before
    }
    // Fetches the line of this member's next mark for writing. Readers still have it from the last lap, and
    // look there only after this position.
    void own_next() const noexcept
    {
        Cell& next = cells_[own_ * kCells + (position_ + 1) % kCells];
#if defined(__x86_64__)
        asm volatile("prefetchw %0" : : "m"(next));
#else
        __builtin_prefetch(&next, 1);
#endif
    }
    std::byte* place(std::uint32_t member, std::size_t size_bytes) const noexcept
    {
        Cell& at = cell(member);
        return size_bytes <= kBeside || size_bytes == kAnySize ? at.data : at.data + kBeside;
    }
    std::uint64_t mark() const noexcept
    {
        return key_ | ((position_ + 1) & ((std::uint64_t{1} << kPositionBits) - 1));
    }

    Header* header_ = nullptr;
    Passed* passed_ = nullptr;
    Cell* cells_ = nullptr;
    std::uint32_t members_ = 0;
    std::uint32_t own_ = 0;
    std::uint64_t key_ = 0;
    std::uint64_t position_ = 0;
    std::uint64_t room_until_ = 0;  // all positions below it have room
    bool published_ = false;        // at this position
    bool own_lends_ = true;         // of the latest chunk; its line may be in the reader's cache only
    bool any_lends_ = true;
};

}  // namespace tutti::transport::shm
