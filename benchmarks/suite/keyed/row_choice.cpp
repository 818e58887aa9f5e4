#include "benchmarks/suite/keyed/row_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <unordered_set>

namespace tutti::bench {

std::vector<std::size_t> RowChoice::of_rank(int rank) const
{
    std::vector<std::size_t> chosen;
    if (order == RowOrder::run) {
        chosen.resize(count);
        std::iota(chosen.begin(), chosen.end(), static_cast<std::size_t>(rank) * count % (rows - count + 1));
    } else {
        // R. W. Floyd's sample, in J. Bentley, "Programming Pearls: A sample of brilliance", CACM 30 (1987).
        std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
        std::unordered_set<std::size_t> taken;
        for (std::size_t last = rows - count; last < rows; ++last) {
            const std::size_t drawn = random() % (last + 1);
            const std::size_t row = taken.contains(drawn) ? last : drawn;
            taken.insert(row);
            chosen.push_back(row);
        }
        std::ranges::shuffle(chosen, random);
    }
    // Keys of different rows differ, as the factor is odd.
    for (std::size_t& row : chosen)
        row = hashed ? (row + 1) * 0x9E3779B97F4A7C15u : row;
    return chosen;
}

}  // namespace tutti::bench
