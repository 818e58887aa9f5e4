// A long message copied by two cores: its receiver takes pieces from the front, and the sender, which has
// nothing to do but wait, from the back. So is a receiver's own memory, as of its own block in a gather.
//
// One core's copy is bound by the lines that it can have under way, so two take half the time
// (docs/measurements/shared-memory.md). The receiver waits for nobody to begin: a sender that has claimed
// nothing by the time the first piece is done computes, or sleeps, and the rest is copied in one go, which
// the C library does better than in pieces where caches are too small for it. What the copy does
// wait for is a piece that the sender has begun: progress() ends it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "transports/shm/record.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::shm {

enum class SourceOf : std::uint32_t { sender, receiver };

/// What is copied where, in the words of those whose memory it is.
struct CopyWork {
    RemoteRegion source;  // as its owner exposed it, or would
    RemoteRegion target;  // as the receiver would; a key of 0: an address in its process
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
    /// The receiver's: offers the work. Not before the work of before is over().
    void begin(const CopyWork& work) noexcept;
    /// The receiver's next piece, from the front.
    std::optional<CopyPiece> claim_front() noexcept { return claim(kFront); }
    /// All that is left, in one piece.
    std::optional<CopyPiece> claim_rest() noexcept;
    /// Whether the sender has claimed anything.
    bool is_helped() const noexcept { return count(claims_.load(std::memory_order_relaxed), kBack) != 0; }
    /// The receiver's, once nothing is left to claim: whether the sender has done all that it claimed.
    bool over() const noexcept;
    /// The receiver's: the piece that the sender began and will not end, when it has failed() or is dead.
    std::optional<CopyPiece> unfinished() const noexcept;
    bool failed() const noexcept
    {
        return failed_.load(std::memory_order_acquire) != 0;
    }  // pairs with fail()

    /// The sender's next piece, from the back. Until it says finish() or fail() work() is what it belongs to.
    std::optional<CopyPiece> claim_back() noexcept { return claim(kBack); }
    const CopyWork& work() const noexcept { return work_; }
    void finish() noexcept { finished_.fetch_add(1, std::memory_order_release); }  // pairs with over()
    /// It cannot do such work; the piece that it has begun is the receiver's again.
    void fail() noexcept { failed_.store(1, std::memory_order_release); }  // pairs with failed()

private:
    // Three counts in one word, which whoever claims changes at once.
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

    // begin() releases the work, which a claim acquires: whoever has claimed a piece of it holds it in place,
    // as it is not over() before.
    std::atomic<std::uint64_t> claims_;
    std::atomic<std::uint32_t> finished_;  // of the sender's pieces
    std::atomic<std::uint32_t> failed_;
    CopyWork work_;
};
static_assert(sizeof(SharedCopy) == kLine);

}  // namespace tutti::transport::shm
