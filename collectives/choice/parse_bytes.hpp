// Numbers of bytes as text: 65536, 64K, 64KiB, 1M, 2G.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::collectives {

/// Empty if the text is no such number or does not fit 64 bits.
std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept;

/// "8 B", "64 KiB", "1 MiB": the largest unit that gives a whole number.
std::string in_bytes(std::size_t size_bytes);

}  // namespace tutti::collectives
