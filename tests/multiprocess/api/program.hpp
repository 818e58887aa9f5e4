// Data for programs whose ranks are processes, and the checks of all ranks.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/expect.hpp"

namespace tutti::test {

/// Byte `index` of message `number` from `sender`.
inline std::byte byte_of(int sender, std::size_t number, std::size_t index)
{
    return static_cast<std::byte>(static_cast<std::size_t>(sender) * 37 + number * 11 + index * 5 +
                                  (index >> 8) + (index >> 16));
}

inline std::vector<std::byte> bytes(int sender, std::size_t number, std::size_t size)
{
    std::vector<std::byte> data(size);
    for (std::size_t i = 0; i < size; ++i)
        data[i] = byte_of(sender, number, i);
    return data;
}

}  // namespace tutti::test
