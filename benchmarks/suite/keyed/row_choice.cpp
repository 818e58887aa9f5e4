#include "benchmarks/suite/keyed/row_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <unordered_set>

namespace tutti::bench {

std::vector<std::size_t> rows_of_rank(RowOrder order, std::size_t count, std::size_t rows, int rank)
{
    std::vector<std::size_t> chosen;
    if (order == RowOrder::run) {
        chosen.resize(count);
        std::iota(chosen.begin(), chosen.end(), static_cast<std::size_t>(rank) * count % (rows - count + 1));
        return chosen;
    }
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
    return chosen;
}

}  // namespace tutti::bench
