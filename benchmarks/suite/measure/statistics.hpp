// Statistics of a series of measurements: its median with an interval, percentiles, outliers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tutti::bench {

/// The middle value, or the mean of the two middle ones. 0 without values.
double median(std::vector<double> values);
/// median() without a copy: reorders the values.
double median_in_place(std::span<double> values);

/// The nearest-rank percentile: the smallest value that at least `per_mille` / 1000 of the values do not
/// exceed. Always one of the values, whatever their number; of few values the highest percentiles are the
/// largest value. `sorted` is ascending; 0 of nothing.
double percentile(std::span<const double> sorted, int per_mille);

/// An interval for the true median.
struct Interval {
    double low = 0.0;
    double high = 0.0;
    double confidence = 0.0;  // probability that it lies there: as requested if there are enough values

    /// Half the width, in parts of `middle`.
    double relative_half_width(double middle) const noexcept;
};

/// The narrowest interval between two values, equally far from both ends, which holds the median with 95 %
/// confidence. It supposes nothing of the distribution but that values are independent: how many of n values
/// lie below the median is binomial (Le Boudec, Performance Evaluation of Computer and Communication Systems,
/// theorem 2.1). Of fewer than 6 values: from the smallest to the largest, and the confidence that these
/// give.
Interval median_interval(std::vector<double> values);
/// median_interval() without a copy: reorders the values.
Interval median_interval_in_place(std::span<double> values);

struct Summary {
    double median = 0.0;
    Interval interval;
    double mean = 0.0;
    double min = 0.0;
    double max = 0.0;
    double p50 = 0.0;
    double p90 = 0.0;
    double p99 = 0.0;
    double p999 = 0.0;
    std::size_t count = 0;
    /// Values further than three times the distance of the quartiles outside of them (Tukey's "far out"),
    /// this distance being taken as 1 % of the median at least. They are counted and stay in all other
    /// figures.
    std::size_t outliers = 0;
    std::vector<double> ascending;  // all values, for other percentiles
};

Summary summarise(std::vector<double> values);

}  // namespace tutti::bench
