// A number of bytes as people write it: 65536, 64K, 64KiB, 1M, 2G.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tutti::collectives {

/// Nothing for what is no such number, or does not fit 64 bits.
std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept;

}  // namespace tutti::collectives
