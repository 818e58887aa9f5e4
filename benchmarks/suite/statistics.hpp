// Median and spread of a handful of repetitions.
#pragma once

#include <algorithm>
#include <vector>

namespace tutti::bench {

/// The middle value, or the mean of the two middle ones. 0 of nothing.
inline double median(std::vector<double> values)
{
    if (values.empty())
        return 0.0;
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// (largest - smallest) / median: how far to trust the median.
inline double relative_spread(const std::vector<double>& values)
{
    const double middle = median(values);
    if (values.empty() || middle == 0.0)
        return 0.0;
    const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
    return (*largest - *smallest) / middle;
}

}  // namespace tutti::bench
