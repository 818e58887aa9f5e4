#include "transports/shm/shared_copy.hpp"

#include <algorithm>

#include "transports/shm/memory_file.hpp"

namespace tutti::transport::shm {

namespace {

// Measured: short copies are split in halves, as each claim costs the transfer of a cache line. Longer ones
// are split in pieces that bound the wait for the other side at the end.
constexpr std::size_t kHalvesTo = 256u << 10;
constexpr std::size_t kLongestPiece = 256u << 10;
constexpr std::size_t kMostPieces = 1u << 16;

std::size_t piece_of(std::size_t bytes) noexcept
{
    const std::size_t wanted = bytes <= kHalvesTo ? (bytes + 1) / 2 : std::min(bytes / 4, kLongestPiece);
    const std::size_t least = bytes / kMostPieces + 1;
    return (std::max(wanted, least) + kPage - 1) / kPage * kPage;
}

}  // namespace

void SharedCopy::begin(const CopyWork& work) noexcept
{
    work_ = work;
    finished_.store(0, std::memory_order_relaxed);
    failed_.store(0, std::memory_order_relaxed);
    const std::uint64_t piece_bytes = piece_of(work.bytes);
    const std::uint64_t pieces = (work.bytes + piece_bytes - 1) / piece_bytes;
    claims_.store(pieces * kPieces, std::memory_order_release);  // pairs with claim()
}

std::optional<CopyPiece> SharedCopy::claim(std::uint64_t side) noexcept
{
    std::uint64_t claims = claims_.load(std::memory_order_relaxed);
    do {
        if (count(claims, kFront) + count(claims, kBack) >= count(claims, kPieces))
            return std::nullopt;
    } while (!claims_.compare_exchange_weak(claims, claims + side, std::memory_order_acq_rel,
                                            std::memory_order_relaxed));
    return piece(side == kFront ? count(claims, kFront) : count(claims, kPieces) - 1 - count(claims, kBack));
}

std::optional<CopyPiece> SharedCopy::claim_rest() noexcept
{
    std::uint64_t claims = claims_.load(std::memory_order_relaxed);
    std::uint64_t left = 0;
    do {
        left = count(claims, kPieces) - count(claims, kFront) - count(claims, kBack);
        if (left == 0)
            return std::nullopt;
    } while (!claims_.compare_exchange_weak(claims, claims + left * kFront, std::memory_order_relaxed));
    const std::size_t piece_bytes = piece_of(work_.bytes);
    const std::size_t offset = count(claims, kFront) * piece_bytes;
    return CopyPiece{offset, std::min(left * piece_bytes, work_.bytes - offset)};
}

CopyPiece SharedCopy::piece(std::uint64_t number) const noexcept
{
    const std::size_t piece_bytes = piece_of(work_.bytes);
    const std::size_t offset = number * piece_bytes;
    return {offset, std::min(piece_bytes, work_.bytes - offset)};
}

bool SharedCopy::over() const noexcept
{
    return finished_.load(std::memory_order_acquire) == count(claims_.load(std::memory_order_relaxed), kBack);
}

// The sender claims a piece only after it has finished the last one.
std::optional<CopyPiece> SharedCopy::unfinished() const noexcept
{
    if (over())
        return std::nullopt;
    const std::uint64_t claims = claims_.load(std::memory_order_relaxed);
    return piece(count(claims, kPieces) - count(claims, kBack));
}

}  // namespace tutti::transport::shm
