// For programs and threads that are ranks: a failed check ends the job with its line.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

#include "tutti/tutti.hpp"

namespace tutti::test {

/// Throws, naming the line: that ends all ranks.
inline void expect(bool condition, const std::string& what = "",
                   std::source_location where = std::source_location::current())
{
    if (!condition)
        throw std::runtime_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                                 ": not as expected " + what);
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
