#include "benchmarks/compare/ratio.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace tutti::bench {

double median_of(const Rounds& rounds)
{
    std::vector<double> values;
    for (const auto& [round, value] : rounds)
        values.push_back(value);
    return median(std::move(values));
}

namespace {

// Only rounds that both libraries have.
std::vector<double> log_ratios(const Rounds& own, const Rounds& other)
{
    std::vector<double> logs;
    for (const auto& [round, value] : own) {
        const auto found = other.find(round);
        if (found != other.end() && value > 0 && found->second > 0)
            logs.push_back(std::log(value / found->second));
    }
    return logs;
}

// Of the mean of all but a fifth at either end. Those are taken as far away as the last that counts, which
// makes the variance that of the trimmed mean. Two values or more.
std::pair<double, double> interval_of_mean(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t trimmed = values.size() / 5;
    const auto counting = std::span(values).subspan(trimmed, values.size() - 2 * trimmed);
    const double count = static_cast<double>(counting.size());
    const double mean = std::accumulate(counting.begin(), counting.end(), 0.0) / count;
    for (double& value : values)
        value = std::clamp(value, counting.front(), counting.back());
    const double middle =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    double squares = 0.0;
    for (const double value : values)
        squares += (value - middle) * (value - middle);
    const double error = std::sqrt(squares / (count * (count - 1)));
    const double half = student_quantile(static_cast<int>(counting.size()) - 1) * error;
    return {mean - half, mean + half};
}

}  // namespace

double student_quantile(int degrees_of_freedom)
{
    static constexpr std::array<double, 30> kFew = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                                    2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                                    2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                                    2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
    if (degrees_of_freedom <= static_cast<int>(kFew.size()))
        return kFew[static_cast<std::size_t>(std::max(degrees_of_freedom, 1) - 1)];
    constexpr double kNormal = 1.959964;  // then the first term by which the two differ
    return kNormal + (std::pow(kNormal, 3) + kNormal) / (4.0 * degrees_of_freedom);
}

std::optional<Ratio> ratio_of(const Rounds& own, const Rounds& other)
{
    if (own.empty() || other.empty() || median_of(other) <= 0)
        return {};
    Ratio ratio{median_of(own) / median_of(other), {}};
    const std::vector<double> logs = log_ratios(own, other);
    if (logs.size() < 2)
        return ratio;
    const auto [low, high] = interval_of_mean(logs);
    ratio.interval =
        Interval{std::min(std::exp(low), ratio.value), std::max(std::exp(high), ratio.value), 0.95};
    return ratio;
}

Ratio of_costs(const Ratio& ratio, Better better)
{
    if (better == Better::lower)
        return ratio;
    Ratio turned{1 / ratio.value, ratio.interval};
    if (turned.interval) {
        turned.interval->low = 1 / ratio.interval->high;
        turned.interval->high = 1 / ratio.interval->low;
    }
    return turned;
}

const char* to_string(Verdict verdict)
{
    switch (verdict) {
        case Verdict::faster:
            return "faster";
        case Verdict::slower:
            return "slower";
        case Verdict::same:
            break;
    }
    return "same";
}

std::optional<Verdict> verdict_of(const Ratio& ratio, Better better)
{
    if (!ratio.interval)
        return {};
    if (ratio.interval->low > 1.0)
        return better == Better::higher ? Verdict::faster : Verdict::slower;
    if (ratio.interval->high < 1.0)
        return better == Better::lower ? Verdict::faster : Verdict::slower;
    if (ratio.interval->low < 1 / kSameFactor || ratio.interval->high > kSameFactor)
        return {};
    return Verdict::same;
}

}  // namespace tutti::bench
