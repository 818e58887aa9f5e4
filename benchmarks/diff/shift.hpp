// By how much the starts of a program differ from other starts of it.
#pragma once

#include <optional>
#include <vector>

#include "benchmarks/suite/measure/statistics.hpp"

namespace tutti::bench {

/// How many times as large values became.
struct Shift {
    double ratio;
    std::optional<Interval> interval;  // of the true one, with 99 %; none of too few values
};

/// So many starts on either side are the least for an interval.
inline constexpr int kLeastStarts = 5;

/// The sample is a start of the program: what differs from start to start (places in memory, the machine's
/// mood) is one and the same in all iterations of a start, whose own interval knows nothing of it.
///
/// The ratio is the median of all ratios of a value of `after` to one of `before` (Hodges and Lehmann,
/// Estimates of location based on rank tests, 1963, of logarithms). Its interval is that of Wilcoxon's rank
/// sum test turned round (Hollander and Wolfe, Nonparametric Statistical Methods, 4.3): the k-th smallest and
/// the k-th largest of these ratios, where k comes from the exact distribution of Mann and Whitney's
/// statistic. It supposes nothing of how values are distributed. 99 % and not 95 %, because files have many
/// rows, of which one in a hundred is then named for nothing. Of nine starts on either side one may be
/// disturbed, and a difference is still found. Neither side may be empty.
Shift shift_of(const std::vector<double>& before, const std::vector<double>& after);

}  // namespace tutti::bench
