// How much faster one library is than another, and whether that is more than noise.
#pragma once

#include <map>
#include <optional>

#include "benchmarks/suite/command_line/benchmark_catalogue.hpp"
#include "benchmarks/suite/measure/statistics.hpp"

namespace tutti::bench {

/// The median of every run of one library, by the number of its round.
using Rounds = std::map<int, double>;

/// Of at least one round.
double median_of(const Rounds& rounds);

struct Ratio {
    double value;                      // of the two libraries' medians
    std::optional<Interval> interval;  // of the true ratio; none of a single round
};

/// Nothing where one side has no run, or the other's median is not above zero.
///
/// The sample is a round: runs of one round follow each other at once, so what drifts on the machine is in
/// both and leaves their ratio (paired observations: Jain, The Art of Computer Systems Performance
/// Analysis, 13.4.1; runs as the sample: Kalibera and Jones, Rigorous Benchmarking in Reasonable Time, ISMM
/// 2013). The interval is Student's of the trimmed mean of the logarithms of the rounds' ratios: from five
/// rounds on, a fifth at either end does not count but as much as its neighbour (Tukey and McLaughlin, Less
/// vulnerable confidence and significance procedures, Sankhya 1963), so that one disturbed round of five does
/// not hide a difference. It is widened to hold `value`.
///
/// In simulations (5 % noise of runs, drift, outliers in a tenth of them; 3 to 9 rounds) it holds the true
/// ratio in 93 to 97 %; bootstrapped medians do so from five rounds on at best, of three in 71 to 77 %
/// (paired) or 88 % (not).
std::optional<Ratio> ratio_of(const Rounds& own, const Rounds& other);

/// The same of what both cost, as people are shown it: of rates, the other's figure by the own one. Below 1
/// the own library is better.
Ratio of_costs(const Ratio& ratio, Better better);

/// The 97.5 % point of Student's distribution, for two-sided intervals of 95 %.
double student_quantile(int degrees_of_freedom);

enum class Verdict { faster, same, slower };
const char* to_string(Verdict verdict);

/// Two libraries whose ratio lies between this and its inverse are the same for who chooses one.
inline constexpr double kSameFactor = 1.25;

/// `same` where the interval holds 1 and tells that the ratio is no further from it than kSameFactor.
/// Nothing, undecided, without an interval and where it is wider.
std::optional<Verdict> verdict_of(const Ratio& ratio, Better better);

}  // namespace tutti::bench
