// Which requests the heap serves, and the sizes of blocks that threads keep.
#pragma once

#include <bit>
#include <cstddef>

namespace tutti::heap {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kLine = 64;

/// Smaller and larger requests are the C library's. Below, messages are copied through a ring anyway; above,
/// ordinary memory may have huge pages, which shared memory mostly has not.
inline constexpr std::size_t kLeastBytes = 4096;
inline constexpr std::size_t kMostBytes = std::size_t{8} << 20;
/// Alignments beyond are the C library's.
inline constexpr std::size_t kMostAlignment = std::size_t{1} << 20;

/// Threads keep freed blocks up to this size, in 16 classes for each doubling of the size.
inline constexpr std::size_t kMostCachedBytes = std::size_t{1} << 18;
inline constexpr unsigned kClassBits = 4;

constexpr unsigned log2_of(std::size_t value) noexcept
{
    return static_cast<unsigned>(std::bit_width(value)) - 1;
}

constexpr std::size_t round_up(std::size_t value, std::size_t unit) noexcept
{
    return (value + unit - 1) / unit * unit;
}

/// The class of blocks with at least this size, from kLeastBytes to kMostCachedBytes.
constexpr std::size_t class_of(std::size_t bytes) noexcept
{
    const unsigned log2 = log2_of(bytes);
    const std::size_t within = bytes >> (log2 - kClassBits) & ((1u << kClassBits) - 1);
    return static_cast<std::size_t>(log2 - log2_of(kLeastBytes)) << kClassBits | within;
}

inline constexpr std::size_t kClasses = class_of(kMostCachedBytes) + 1;

/// The least size that serves a request: that of a class, as far as threads keep such blocks.
constexpr std::size_t served_size(std::size_t bytes) noexcept
{
    const std::size_t unit =
        bytes > kMostCachedBytes ? kLine : std::size_t{1} << (log2_of(bytes) - kClassBits);
    return (bytes + unit - 1) & ~(unit - 1);
}

}  // namespace tutti::heap
