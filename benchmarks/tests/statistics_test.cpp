#include "benchmarks/suite/measure/statistics.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

using namespace tutti::bench;

namespace {

// 1, 2, ... count, the largest first.
std::vector<double> countdown(int count)
{
    std::vector<double> values(static_cast<std::size_t>(count));
    std::iota(values.rbegin(), values.rend(), 1.0);
    return values;
}

double percentile_of(int count, int per_mille)
{
    std::vector<double> values = countdown(count);
    std::sort(values.begin(), values.end());
    return percentile(values, per_mille);
}

}  // namespace

TEST_CASE("median", "[benchmarks]")
{
    CHECK(median({}) == 0.0);
    CHECK(median({5}) == 5.0);
    CHECK(median({9, 1, 5}) == 5.0);
    CHECK(median({4, 1, 2, 9}) == 3.0);
    std::vector<double> values = countdown(7);
    CHECK(median_in_place(values) == 4.0);
    CHECK(median_interval_in_place(values).high == median_interval(countdown(7)).high);
    CHECK(median_in_place({}) == 0.0);
}

TEST_CASE("percentiles are values, also of few", "[benchmarks]")
{
    CHECK(percentile({}, 500) == 0.0);
    for (const int per_mille : {0, 1, 500, 999, 1000})
        CHECK(percentile_of(1, per_mille) == 1.0);
    CHECK(percentile_of(2, 500) == 1.0);
    CHECK(percentile_of(2, 501) == 2.0);
    CHECK(percentile_of(10, 900) == 9.0);
    CHECK(percentile_of(10, 901) == 10.0);
    CHECK(percentile_of(10, 990) == 10.0);
    CHECK(percentile_of(99, 990) == 99.0);
    CHECK(percentile_of(100, 990) == 99.0);
    CHECK(percentile_of(101, 990) == 100.0);
    CHECK(percentile_of(999, 999) == 999.0);
    // 99.9 % of 1000 computed in floating point is a little more than 999.
    CHECK(percentile_of(1000, 999) == 999.0);
    CHECK(percentile_of(1001, 999) == 1000.0);
}

TEST_CASE("the interval of a median is that of the binomial distribution", "[benchmarks]")
{
    CHECK(median_interval({}).confidence == 0.0);
    const Interval single = median_interval({7});
    CHECK(single.low == 7.0);
    CHECK(single.high == 7.0);
    CHECK(single.confidence == 0.0);
    // 5 values give 93.75 % at most, 6 give 96.875 %.
    CHECK(median_interval(countdown(5)).confidence == Approx(0.9375));
    const Interval six = median_interval(countdown(6));
    CHECK(six.low == 1.0);
    CHECK(six.high == 6.0);
    CHECK(six.confidence == Approx(0.96875));
    // Tables of the sign test: 9 values, from the second to the eighth; 25, from the 8th to the 18th.
    const Interval nine = median_interval(countdown(9));
    CHECK(nine.low == 2.0);
    CHECK(nine.high == 8.0);
    CHECK(nine.confidence == Approx(0.9609375));
    const Interval twenty_five = median_interval(countdown(25));
    CHECK(twenty_five.low == 8.0);
    CHECK(twenty_five.high == 18.0);
    CHECK(twenty_five.confidence == Approx(0.9567).epsilon(1e-4));
    // Le Boudec's table ends with: from n/2 - 0.98 sqrt(n) to n/2 + 1 + 0.98 sqrt(n).
    const Interval many = median_interval(countdown(1000));
    CHECK(many.low == 469.0);
    CHECK(many.high == 532.0);
    CHECK(many.relative_half_width(500.5) == Approx(31.5 / 500.5));
}

TEST_CASE("outliers are counted and stay in all figures", "[benchmarks]")
{
    std::vector<double> values = countdown(100);
    CHECK(summarise(values).outliers == 0);
    values.push_back(1e6);
    values.push_back(-1e6);
    const Summary summary = summarise(values);
    CHECK(summary.outliers == 2);
    CHECK(summary.count == 102);
    CHECK(summary.max == 1e6);
    CHECK(summary.min == -1e6);
    CHECK(summary.median == 50.5);
    // Equal values: what differs by a rounding is no outlier, what differs by 4 % is.
    std::vector<double> equal(50, 1.0);
    equal.push_back(1.02);
    CHECK(summarise(equal).outliers == 0);
    equal.push_back(1.04);
    CHECK(summarise(equal).outliers == 1);
    CHECK(summarise({}).count == 0);
}
