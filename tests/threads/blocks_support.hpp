// What the tests of the collectives that move blocks share: sizes, places and contents of blocks.
#pragma once

#include <algorithm>
#include <numeric>

#include "tests/threads/support.hpp"

namespace tutti::test {

using Counts = std::vector<std::size_t>;

inline const std::size_t kCounts[] = {0, 1, 7, 1000, 20'001};

// Some ranks have nothing, one has much.
inline std::size_t count_of(int rank)
{
    return rank == 1 ? 5000 : static_cast<std::size_t>(rank) * 3 % 7;
}

inline Counts counts_of(const Communicator& world)
{
    Counts counts;
    for (int rank = 0; rank < world.size(); ++rank)
        counts.push_back(count_of(rank));
    return counts;
}

inline std::size_t total(const Counts& counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

// The last rank's block first, with an element of nobody's before each block.
inline Counts backwards(const Counts& counts)
{
    Counts displacements(counts.size());
    std::size_t next = 0;
    for (std::size_t i = counts.size(); i-- > 0;) {
        displacements[i] = ++next;
        next += counts[i];
    }
    return displacements;
}

inline constexpr int kUntouched = -1;

inline std::vector<int> untouched(std::size_t count)
{
    return std::vector<int>(count, kUntouched);
}

// The numbers of all ranks, at their places in `count` elements.
inline std::vector<int> all_numbers(int message, const Counts& counts, const Counts& displacements,
                                    std::size_t count)
{
    std::vector<int> all = untouched(count);
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        const std::vector<int> block = numbers(static_cast<int>(rank), message, counts[rank]);
        std::copy(block.begin(), block.end(), all.begin() + static_cast<std::ptrdiff_t>(displacements[rank]));
    }
    return all;
}

inline Counts packed(const Counts& counts)
{
    Counts displacements(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), displacements.begin(), std::size_t{0});
    return displacements;
}

inline std::vector<int> all_numbers(int message, const Counts& counts)
{
    return all_numbers(message, counts, packed(counts), total(counts));
}

inline Counts equal(const Communicator& world, std::size_t count)
{
    return Counts(static_cast<std::size_t>(world.size()), count);
}

// `all` with only the block of this rank in it.
inline std::vector<int> only_own(std::vector<int> all, const Communicator& world, const Counts& counts,
                                 const Counts& displacements)
{
    const auto rank = static_cast<std::size_t>(world.rank());
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i < displacements[rank] || i >= displacements[rank] + counts[rank])
            all[i] = kUntouched;
    }
    return all;
}

enum class Side { sent, received };

// What this rank sends all others, or receives from them, at its places in `count` elements.
inline std::vector<int> pair_numbers(const Communicator& world, const Counts& counts,
                                     const Counts& displacements, std::size_t count, Side side)
{
    std::vector<int> all = untouched(count);
    for (int peer = 0; peer < world.size(); ++peer) {
        const auto index = static_cast<std::size_t>(peer);
        const std::vector<int> block = side == Side::sent ? numbers(world.rank(), peer, counts[index])
                                                          : numbers(peer, world.rank(), counts[index]);
        std::copy(block.begin(), block.end(),
                  all.begin() + static_cast<std::ptrdiff_t>(displacements[index]));
    }
    return all;
}

}  // namespace tutti::test
