// Checks and data for programs whose ranks are processes: a failed check ends the job with its line.
#pragma once

#include <cstddef>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::test {

inline void expect(bool condition, const std::string& what = "",
                   std::source_location where = std::source_location::current())
{
    if (!condition)
        throw std::runtime_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                                 ": not as expected " + what);
}

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

inline int right_of(const Communicator& ring)
{
    return (ring.rank() + 1) % ring.size();
}
inline int left_of(const Communicator& ring)
{
    return (ring.rank() + ring.size() - 1) % ring.size();
}

}  // namespace tutti::test
