// Bytes that are known in advance, for transfers whose every byte is checked (-c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tutti::bench {

/// A byte that differs between neighbours, pages and messages.
constexpr std::byte pattern_byte(std::size_t index, std::size_t salt)
{
    const std::uint64_t mixed = (index + 1) * 0x9E3779B97F4A7C15u ^ (salt + 1) * 0xC2B2AE3D27D4EB4Fu;
    return static_cast<std::byte>(mixed >> 56);
}

inline void fill_pattern(std::span<std::byte> data, std::size_t salt)
{
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = pattern_byte(i, salt);
}

inline std::size_t wrong_bytes(std::span<const std::byte> data, std::size_t salt)
{
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < data.size(); ++i)
        wrong += data[i] != pattern_byte(i, salt) ? 1 : 0;
    return wrong;
}

}  // namespace tutti::bench
