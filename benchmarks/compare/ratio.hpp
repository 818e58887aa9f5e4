// How much faster one library is than another, and whether that is more than noise.
#pragma once

#include <map>
#include <optional>

#include "benchmarks/suite/catalogue.hpp"
#include "benchmarks/suite/statistics.hpp"

namespace tutti::bench {

/// The median of every run of one library, by the number of its round.
using Rounds = std::map<int, double>;

struct Ratio {
    double value;                      // of the two libraries' medians
    std::optional<Interval> interval;  // of the true ratio; none of a single round
};

/// Nothing where one side has no run, or the other's median is not above zero.
///
/// The sample is a round: runs of one round follow each other at once, so what drifts on the machine is in
/// both and leaves their ratio. The interval is Student's of the logarithms of the rounds' ratios (paired
/// observations: Jain, The Art of Computer Systems Performance Analysis, 13.4.1; ratios of runs as the
/// sample: Kalibera and Jones, Rigorous Benchmarking in Reasonable Time, ISMM 2013), widened to hold `value`,
/// which an outlier may put outside. Of samples as small as these it holds the true ratio as often as it
/// says, also of two or three rounds and with outliers; bootstrapped medians do so from five on at best, and
/// of three in 71 to 77 % (paired) or 88 % (not).
std::optional<Ratio> ratio_of(const Rounds& own, const Rounds& other);

/// The 97.5 % point of Student's distribution, for two-sided intervals of 95 %.
double student_quantile(int degrees_of_freedom);

enum class Verdict { faster, same, slower };
const char* to_string(Verdict verdict);

/// Nothing without an interval; `same` where it holds 1.
std::optional<Verdict> verdict_of(const Ratio& ratio, Better better);

}  // namespace tutti::bench
