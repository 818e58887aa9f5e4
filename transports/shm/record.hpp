// The form of a frame in a ring: a word, the header, the payload, in whole lines of 64 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::transport::shm {

inline constexpr std::size_t kLine = 64;

namespace record {

enum Kind : std::uint64_t { frame = 1, skip_to_start = 2 };

// Payloads from this size on start on a new line: then whole lines are copied, and powers of two need no
// further line.
inline constexpr std::size_t kAlignedFrom = 256;

// From the lowest bit: 24 bits of payload size, 6 of header size, 2 of kind, 32 of the lap.
constexpr std::uint64_t word(Kind kind, std::size_t header_bytes, std::size_t payload_bytes,
                             std::uint32_t lap) noexcept
{
    return std::uint64_t{lap} << 32 | static_cast<std::uint64_t>(kind) << 30 |
           static_cast<std::uint64_t>(header_bytes) << 24 | payload_bytes;
}
constexpr std::uint32_t lap(std::uint64_t word) noexcept
{
    return static_cast<std::uint32_t>(word >> 32);
}
constexpr Kind kind(std::uint64_t word) noexcept
{
    return static_cast<Kind>((word >> 30) & 3);
}
constexpr std::size_t header_bytes(std::uint64_t word) noexcept
{
    return (word >> 24) & 0x3f;
}
constexpr std::size_t payload_bytes(std::uint64_t word) noexcept
{
    return word & 0xffffff;
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

}  // namespace record

}  // namespace tutti::transport::shm
