// Where a ring lies, what of it is in use, and the words that both sides share (ring.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "transports/shm/record.hpp"

namespace tutti::transport::shm {

inline constexpr std::size_t kSmallestRing = 32u << 10;
inline constexpr std::size_t kLargestRing = 1u << 20;

/// The size of each of a rank's `rings`. Together they have enough for a pipeline of two copies at full speed
/// among a few ranks, and less than a gigabyte when many ranks all talk to each other.
constexpr std::size_t ring_bytes(std::size_t rings) noexcept
{
    constexpr std::size_t kTogether = 4u << 20;
    return std::clamp(std::bit_floor(kTogether / rings), kSmallestRing, kLargestRing);
}

/// The words of a ring that both sides use, each on its own line. Zero-filled memory is a valid start.
struct RingControl {
    // Written by the consumer (release), read by the producer (acquire): all bytes before it are free again.
    alignas(kLine) std::atomic<std::uint64_t> consumed;
    // Set by a producer that is about to sleep on a full ring; the consumer clears it and wakes the producer.
    alignas(kLine) std::atomic<std::uint32_t> producer_waits;
};

/// Where the ring's memory is; both sides know it. `size` is a power of two.
struct RingMemory {
    std::byte* base = nullptr;
    std::size_t size = 0;
    RingControl* control = nullptr;
    std::size_t first_part = size;  // how much is used at first: whole lines

    static constexpr std::size_t kKeepsDistance = 128u << 10;
    static constexpr std::size_t kLongestRecord = 64u << 10;
    /// Short records do not make a ring use more than this: they stay in a core's cache.
    static constexpr std::size_t kEnoughForShort = 256u << 10;
    static constexpr std::size_t kLong = 8u << 10;

    std::size_t offset(std::uint64_t position) const noexcept { return position & (size - 1); }
    std::byte* at(std::uint64_t position) const noexcept { return base + offset(position); }
    std::atomic<std::uint64_t>& word_at(std::uint64_t position) const noexcept
    {
        return *reinterpret_cast<std::atomic<std::uint64_t>*>(at(position));
    }
    std::size_t bytes_to_end(std::uint64_t position) const noexcept { return size - offset(position); }
    std::size_t max_payload() const noexcept
    {
        return std::min(size / 8, kLongestRecord) - kLine - distance();
    }
    /// So many bytes lie between a record of many lines and the next one. The consumer's core fetches lines
    /// behind those that it reads, and so would take them from a producer that still writes them: streams of
    /// 1 to 8 KiB are a fifth to a third faster. Small rings have no room for that.
    std::size_t distance() const noexcept { return size >= kKeepsDistance ? record::kDistance : 0; }
    std::size_t record_bytes(std::size_t header_bytes, std::size_t payload_bytes) const noexcept
    {
        return record::record_bytes(header_bytes, payload_bytes) +
               (payload_bytes >= record::kDistanceFrom ? distance() : 0);
    }
    std::size_t larger_part(std::size_t part) const noexcept { return std::min(2 * part, size); }
    /// Whether a record may make the ring use more than the part.
    bool grows(std::size_t part, std::size_t record_bytes) const noexcept
    {
        return part < size && (2 * part <= kEnoughForShort || record_bytes >= kLong);
    }
    std::uint64_t lap(std::uint64_t position) const noexcept
    {
        return (position >> __builtin_ctzll(size)) % record::kLaps;  // size is not 0
    }
};

}  // namespace tutti::transport::shm
