#include "benchmarks/diff/shift.hpp"

#include <algorithm>

namespace tutti::bench {

namespace {

constexpr double kBeyond = 0.005;     // at either end
constexpr double kAlmostZero = 1e-9;  // of what files have with three decimals

// The chances of each value of Mann and Whitney's statistic, if both samples are from one distribution. The
// largest of i + j values is one of the i with the chance i / (i + j), and then exceeds all j of the others.
std::vector<double> chances(std::size_t first, std::size_t second)
{
    std::vector<std::vector<double>> of(second + 1, {1.0});
    for (std::size_t i = 1; i <= first; ++i) {
        for (std::size_t j = 1; j <= second; ++j) {
            const double share = static_cast<double>(i) / static_cast<double>(i + j);
            std::vector<double> next(i * j + 1, 0.0);
            for (std::size_t u = 0; u < of[j].size(); ++u)
                next[u + j] += share * of[j][u];
            for (std::size_t u = 0; u < of[j - 1].size(); ++u)
                next[u] += (1 - share) * of[j - 1][u];
            of[j] = std::move(next);
        }
    }
    return of[second];
}

// How many of the extreme ratios to leave out, and one: 0 where none may be left out.
std::size_t rank_of_end(std::size_t first, std::size_t second)
{
    std::size_t rank = 0;
    double beyond = 0.0;
    for (const double chance : chances(first, second)) {
        beyond += chance;
        if (beyond > kBeyond)
            break;
        ++rank;
    }
    return rank;
}

}  // namespace

Shift shift_of(const std::vector<double>& before, const std::vector<double>& after)
{
    std::vector<double> ratios;
    for (const double old : before) {
        for (const double one : after)
            ratios.push_back(std::max(one, kAlmostZero) / std::max(old, kAlmostZero));
    }
    std::sort(ratios.begin(), ratios.end());
    Shift shift{median(ratios), {}};
    if (const std::size_t rank = rank_of_end(before.size(), after.size()); rank > 0)
        shift.interval = Interval{ratios[rank - 1], ratios[ratios.size() - rank], 1 - 2 * kBeyond};
    return shift;
}

}  // namespace tutti::bench
