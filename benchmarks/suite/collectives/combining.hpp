// The most that one core can do with two operands: the yardstick of reductions.
#pragma once

#include <cstddef>

namespace tutti::bench {

/// inout = in xor inout, in the widest registers that this processor has: reads two arrays and writes one, as
/// every reduction into one of its operands must, with as little arithmetic as can be. The arrays do not
/// overlap.
void combine_words(std::byte* inout, const std::byte* in, std::size_t size_bytes) noexcept;

/// Bytes that one such call reads and writes.
constexpr std::size_t combined_bytes(std::size_t size_bytes) noexcept
{
    return 3 * size_bytes;
}

}  // namespace tutti::bench
