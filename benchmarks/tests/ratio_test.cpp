#include <catch2/catch.hpp>

#include <cmath>

#include "benchmarks/compare/ratio.hpp"

using namespace tutti::bench;

namespace {

Rounds rounds(const std::vector<double>& values)
{
    Rounds numbered;
    for (std::size_t i = 0; i < values.size(); ++i)
        numbered[static_cast<int>(i)] = values[i];
    return numbered;
}

}  // namespace

TEST_CASE("a ratio is that of medians, its interval Student's of the rounds' logarithms", "[benchmarks]")
{
    // Logarithms of the ratios: -0.1, 0, 0.1 off ln 0.5. Their standard error is 0.1 / sqrt 3, t of 2
    // is 4.303.
    const auto ratio = ratio_of(rounds({std::exp(-0.1), 1.0, std::exp(0.1)}), rounds({2.0, 2.0, 2.0}));
    REQUIRE(ratio.has_value());
    CHECK(ratio->value == Approx(0.5));
    REQUIRE(ratio->interval.has_value());
    const double half = 4.303 * 0.1 / std::sqrt(3.0);
    CHECK(ratio->interval->low == Approx(0.5 * std::exp(-half)));
    CHECK(ratio->interval->high == Approx(0.5 * std::exp(half)));
    CHECK(ratio->interval->confidence == 0.95);
}

TEST_CASE("what drifts for both libraries leaves their ratio", "[benchmarks]")
{
    const auto ratio = ratio_of(rounds({1, 2, 4, 8}), rounds({2, 4, 8, 16}));
    CHECK(ratio->value == Approx(0.5));
    CHECK(ratio->interval->low == Approx(0.5));
    CHECK(ratio->interval->high == Approx(0.5));
    CHECK(verdict_of(*ratio, Better::lower) == Verdict::faster);
    CHECK(verdict_of(*ratio, Better::higher) == Verdict::slower);
    const Ratio costs = of_costs({0.5, Interval{0.4, 0.8, 0.95}}, Better::higher);
    CHECK(costs.value == Approx(2.0));
    CHECK(costs.interval->low == Approx(1.25));
    CHECK(costs.interval->high == Approx(2.5));
    CHECK(of_costs(*ratio, Better::lower).value == ratio->value);
    CHECK_FALSE(of_costs({0.5, {}}, Better::higher).interval.has_value());
}

TEST_CASE("an interval holds the ratio that is shown", "[benchmarks]")
{
    // Outliers that are not in the same rounds: the mean of the rounds' ratios is far from the medians'
    // ratio.
    const auto ratio = ratio_of(rounds({1, 1, 1, 1, 1, 9, 9}), rounds({1, 1, 1, 1, 1, 1, 1}));
    CHECK(ratio->value == Approx(1.0));
    CHECK(ratio->interval->low <= 1.0);
    CHECK(ratio->interval->high > 2.0);
    CHECK_FALSE(verdict_of(*ratio, Better::lower).has_value());
}

TEST_CASE("one disturbed round of five does not hide a difference", "[benchmarks]")
{
    const auto ratio = ratio_of(rounds({0.50, 0.51, 500, 0.49, 0.50}), rounds({1, 1, 1, 1, 1}));
    CHECK(ratio->value == Approx(0.5));
    // Logarithms of 0.50, 0.50 and 0.51 count; 0.49 is taken as 0.50, 500 as 0.51.
    const double step = std::log(0.51 / 0.50);
    const double variance = (3 * std::pow(0.4 * step, 2) + 2 * std::pow(0.6 * step, 2)) / (3 * 2);
    CHECK(ratio->interval->high == Approx(0.5 * std::exp(step / 3 + 4.303 * std::sqrt(variance))));
    CHECK(verdict_of(*ratio, Better::lower) == Verdict::faster);
    // Two of five are not noise any more.
    CHECK_FALSE(
        verdict_of(*ratio_of(rounds({0.50, 500, 500, 0.49, 0.50}), rounds({1, 1, 1, 1, 1})), Better::lower)
            .has_value());
}

TEST_CASE("the same is what lies close to 1; an interval that is too wide to tell leaves a row undecided",
          "[benchmarks]")
{
    const auto verdict = [](double low, double high, Better better = Better::lower) {
        return verdict_of({1.0, Interval{low, high, 0.95}}, better);
    };
    CHECK(verdict(0.97, 1.04) == Verdict::same);
    CHECK(verdict(0.80, 1.25) == Verdict::same);
    CHECK(verdict(1.0, 1.0) == Verdict::same);
    for (const Better better : {Better::lower, Better::higher}) {
        CHECK_FALSE(verdict(7e-07, 871'742, better).has_value());
        CHECK_FALSE(verdict(0.79, 1.10, better).has_value());
        CHECK_FALSE(verdict(0.95, 1.26, better).has_value());
    }
    // Beyond 1 it need not be narrow.
    CHECK(verdict(1.01, 871'742) == Verdict::slower);
    CHECK(verdict(7e-07, 0.99) == Verdict::faster);
    CHECK(verdict(1.01, 871'742, Better::higher) == Verdict::faster);
}

TEST_CASE("rounds that only one library has count for its median, not for pairs", "[benchmarks]")
{
    const auto ratio = ratio_of({{0, 1.0}, {1, 1.0}, {2, 4.0}}, {{0, 2.0}, {1, 2.0}});
    CHECK(ratio->value == Approx(0.5));
    CHECK(ratio->interval->low == Approx(0.5));
    const auto once = ratio_of({{0, 1.0}, {1, 1.0}}, {{0, 2.0}});
    CHECK(once->value == Approx(0.5));
    CHECK_FALSE(once->interval.has_value());
    CHECK_FALSE(verdict_of(*once, Better::lower).has_value());
    CHECK_FALSE(ratio_of({{0, 1.0}}, {}).has_value());
    CHECK_FALSE(ratio_of({{0, 1.0}}, {{0, 0.0}}).has_value());
    CHECK_FALSE(ratio_of({{0, 0.0}, {1, 0.0}}, {{0, 1.0}, {1, 1.0}})->interval.has_value());
}

TEST_CASE("the points of Student's distribution", "[benchmarks]")
{
    CHECK(student_quantile(1) == Approx(12.706));
    CHECK(student_quantile(4) == Approx(2.776));
    CHECK(student_quantile(30) == Approx(2.042));
    CHECK(student_quantile(40) == Approx(2.021).epsilon(0.001));
    CHECK(student_quantile(1000) == Approx(1.962).epsilon(0.001));
}
