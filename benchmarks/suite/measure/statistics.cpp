#include "benchmarks/suite/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tutti::bench {

namespace {

constexpr double kConfidence = 0.95;
constexpr double kNormalQuantile = 1.959964;  // the 97.5 % point
constexpr std::size_t kExactCount = 200;      // beyond, the normal distribution is close enough
constexpr double kFarOut = 3.0;
constexpr double kLeastQuartileDistance = 0.01;  // of the median

// How many values to leave out at either end, so that the others hold the median with the wanted confidence.
struct Cut {
    std::size_t values;
    double confidence;
};

// The chance that fewer than k + 1 of n values lie below the median is the sum of (n over i) / 2^n to i = k;
// it is left out twice.
Cut exact_cut(std::size_t count)
{
    const double n = static_cast<double>(count);
    double term = std::pow(0.5, n);
    double below = 0.0;
    Cut cut{0, 1.0 - 2.0 * term};
    for (std::size_t k = 0; k < count / 2; ++k) {
        below += term;
        if (1.0 - 2.0 * below < kConfidence)
            break;
        cut = {k, 1.0 - 2.0 * below};
        term *= (n - static_cast<double>(k)) / (static_cast<double>(k) + 1.0);
    }
    return cut;
}

Cut normal_cut(std::size_t count)
{
    const double n = static_cast<double>(count);
    return {static_cast<std::size_t>((n - kNormalQuantile * std::sqrt(n)) / 2.0) - 1, kConfidence};
}

double middle_of(std::span<const double> sorted)
{
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

}  // namespace

double median(std::vector<double> values)
{
    return median_in_place(values);
}

double median_in_place(std::span<double> values)
{
    if (values.empty())
        return 0.0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return values.size() % 2 == 1 ? *middle : (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double percentile(std::span<const double> sorted, int per_mille)
{
    if (sorted.empty())
        return 0.0;
    // In whole numbers: 99.9 % of 1000 values are 999, not a rounding error more.
    const std::size_t rank = (static_cast<std::size_t>(per_mille) * sorted.size() + 999) / 1000;
    return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

double Interval::relative_half_width(double middle) const noexcept
{
    return middle == 0.0 ? 0.0 : (high - low) / (2.0 * std::abs(middle));
}

Interval median_interval(std::vector<double> values)
{
    return median_interval_in_place(values);
}

Interval median_interval_in_place(std::span<double> values)
{
    if (values.empty())
        return {};
    const Cut cut = values.size() <= kExactCount ? exact_cut(values.size()) : normal_cut(values.size());
    const auto low = values.begin() + static_cast<std::ptrdiff_t>(cut.values);
    const auto high = values.end() - 1 - static_cast<std::ptrdiff_t>(cut.values);
    std::nth_element(values.begin(), low, values.end());
    const double least = *low;  // the next call moves it
    std::nth_element(low, high, values.end());
    return {least, *high, std::max(cut.confidence, 0.0)};
}

Summary summarise(std::vector<double> values)
{
    Summary summary;
    if (values.empty())
        return summary;
    summary.interval = median_interval(values);
    std::sort(values.begin(), values.end());
    summary.median = middle_of(values);
    summary.count = values.size();
    summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    summary.min = values.front();
    summary.max = values.back();
    summary.p50 = percentile(values, 500);
    summary.p90 = percentile(values, 900);
    summary.p99 = percentile(values, 990);
    summary.p999 = percentile(values, 999);
    const double lower = percentile(values, 250);
    const double upper = percentile(values, 750);
    const double distance =
        kFarOut * std::max(upper - lower, kLeastQuartileDistance * std::abs(summary.median));
    const auto first = std::lower_bound(values.begin(), values.end(), lower - distance);
    const auto last = std::upper_bound(values.begin(), values.end(), upper + distance);
    summary.outliers = values.size() - static_cast<std::size_t>(last - first);
    summary.ascending = std::move(values);
    return summary;
}

}  // namespace tutti::bench
