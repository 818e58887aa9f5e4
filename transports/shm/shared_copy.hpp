// A long message copied by two cores: the receiver takes pieces from the front, and the sender, which only
// waits, takes them from the back. It also serves copies within the receiver's memory.
//
// One core can have a limited number of lines under way, so two cores take half the time
// (docs/measurements/shared-memory.md). The receiver does not wait for the sender to start. If the sender has
// claimed nothing when the first piece is done, it computes or sleeps; then the rest is copied at once, which
// the C library does faster than pieces when caches are too small. The copy only waits for a piece that the
// sender has started: progress() ends it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "transports/shm/record.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::shm {

enum class SourceOf : std::uint32_t { sender, receiver };

/// What is copied, and where; each owner describes its memory.
struct CopyWork {
    RemoteRegion source;  // as its owner exposed it, or would expose it
    RemoteRegion target;  // as the receiver would expose it; a key of 0: an address in its process
    std::uint64_t bytes;
    SourceOf owner = SourceOf::sender;
};

/// A part of the bytes.
struct CopyPiece {
    std::size_t offset;
    std::size_t bytes;
};

/// Lies in the receiver's inbox, one for each sender, on one line. Zero-filled memory is a valid start.
class alignas(kLine) SharedCopy {
public:
    /// For the receiver: offers the work. The last work must be over().
    void begin(const CopyWork& work) noexcept;
    /// For the receiver: its next piece, from the front.
    std::optional<CopyPiece> claim_front() noexcept { return claim(kFront); }
    /// All that is left, in one piece.
    std::optional<CopyPiece> claim_rest() noexcept;
    /// Whether the sender has claimed anything.
    bool is_helped() const noexcept { return count(claims_.load(std::memory_order_relaxed), kBack) != 0; }
    /// For the receiver, when nothing is left to claim: whether the sender has done all its pieces.
    bool over() const noexcept;
    /// For the receiver: a piece that the sender will not finish, as it has failed() or is dead.
    std::optional<CopyPiece> unfinished() const noexcept;
    bool failed() const noexcept
    {
        return failed_.load(std::memory_order_acquire) != 0;
    }  // pairs with fail()

    /// For the sender: its next piece, from the back. work() stays valid until finish() or fail().
    std::optional<CopyPiece> claim_back() noexcept { return claim(kBack); }
    const CopyWork& work() const noexcept { return work_; }
    void finish() noexcept { finished_.fetch_add(1, std::memory_order_release); }  // pairs with over()
    /// The sender cannot do such work; its started piece belongs to the receiver again.
    void fail() noexcept { failed_.store(1, std::memory_order_release); }  // pairs with failed()

private:
    // Three counts in one word, so that a claim changes them at once.
    static constexpr unsigned kBits = 20;
    static constexpr std::uint64_t kBack = 1;
    static constexpr std::uint64_t kFront = std::uint64_t{1} << kBits;
    static constexpr std::uint64_t kPieces = std::uint64_t{1} << 2 * kBits;
    static std::uint64_t count(std::uint64_t claims, std::uint64_t unit) noexcept
    {
        return claims / unit % kFront;
    }

    std::optional<CopyPiece> claim(std::uint64_t side) noexcept;
    CopyPiece piece(std::uint64_t number) const noexcept;

    // begin() releases the work, a claim acquires it. A side with a claimed piece keeps the work in place, as
    // it is not over() before.
    std::atomic<std::uint64_t> claims_;
    std::atomic<std::uint32_t> finished_;  // number of the sender's pieces
    std::atomic<std::uint32_t> failed_;
    CopyWork work_;
};
static_assert(sizeof(SharedCopy) == kLine);

}  // namespace tutti::transport::shm
