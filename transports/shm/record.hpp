// The form of a frame in a ring: a word, the header, the payload, in whole lines of 64 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::transport::shm {

inline constexpr std::size_t kLine = 64;

namespace record {

// Payloads from this size on start on a new line: then whole lines are copied, and powers of two need no
// further line.
inline constexpr std::size_t kAlignedFrom = 256;

// Behind payloads of this size and more a large ring leaves so much room (RingMemory::distance).
inline constexpr std::size_t kDistanceFrom = 512;
inline constexpr std::size_t kDistance = 16 * kLine;

// `first_again`: the first frame of a lap that begins without a `skip`, as the consumer has read all before.
// `skip`: its payload size counts lines, itself included; behind them follows the next record.
enum Kind : std::uint64_t { none = 0, frame = 1, skip = 2, first_again = 3 };

// From the lowest bit: 16 bits of payload size, 6 of header size, 2 of kind, 16 of credit, 24 of the lap.
inline constexpr std::uint64_t kLaps = std::uint64_t{1} << 24;

constexpr std::uint64_t word(Kind kind, std::size_t header_bytes, std::size_t payload_bytes,
                             std::uint16_t credit, std::uint64_t lap) noexcept
{
    return lap << 40 | std::uint64_t{credit} << 24 | kind << 22 | std::uint64_t{header_bytes} << 16 |
           payload_bytes;
}
constexpr Kind kind(std::uint64_t word) noexcept
{
    return static_cast<Kind>(word >> 22 & 3);
}
/// Zeroes belong to no lap.
constexpr bool is_of(std::uint64_t word, std::uint64_t lap) noexcept
{
    return word >> 40 == lap && kind(word) != none;
}
constexpr std::uint16_t credit(std::uint64_t word) noexcept
{
    return static_cast<std::uint16_t>(word >> 24);
}
constexpr std::size_t header_bytes(std::uint64_t word) noexcept
{
    return (word >> 16) & 0x3f;
}
constexpr std::size_t payload_bytes(std::uint64_t word) noexcept
{
    return word & 0xffff;
}

constexpr std::size_t payload_offset(std::size_t header_bytes, std::size_t payload_bytes) noexcept
{
    return payload_bytes < kAlignedFrom ? sizeof(std::uint64_t) + header_bytes : kLine;
}
constexpr std::size_t record_bytes(std::size_t header_bytes, std::size_t payload_bytes) noexcept
{
    const std::size_t end = payload_offset(header_bytes, payload_bytes) + payload_bytes;
    return (end + kLine - 1) / kLine * kLine;
}

/// Most records: an envelope and so little data that all of it lies in one line.
inline constexpr std::size_t kShortHeader = 2 * sizeof(std::uint64_t);
constexpr bool is_short(std::size_t header_bytes, std::size_t payload_bytes) noexcept
{
    return header_bytes == kShortHeader && payload_bytes <= kLine - sizeof(std::uint64_t) - kShortHeader;
}

}  // namespace record

}  // namespace tutti::transport::shm
