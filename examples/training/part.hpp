// Who has which of so many things.
#pragma once

#include <cstddef>
#include <tutti/communicator.hpp>

namespace training {

/// The part [begin, end) of `count` things that are dealt to `parts`, in order: parts differ by one at most,
/// and some are empty where there are too few things.
struct Part {
    std::size_t begin;
    std::size_t end;

    Part(std::size_t count, std::size_t part, std::size_t parts)
        : begin(count * part / parts), end(count * (part + 1) / parts)
    {
    }
    /// This rank's.
    Part(std::size_t count, const tutti::Communicator& ranks)
        : Part(count, static_cast<std::size_t>(ranks.rank()), static_cast<std::size_t>(ranks.size()))
    {
    }
    std::size_t size() const { return end - begin; }
};

}  // namespace training
