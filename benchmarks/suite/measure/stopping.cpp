#include "benchmarks/suite/measure/stopping.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/suite/measure/statistics.hpp"

namespace tutti::bench {

namespace {

constexpr int kFirstBatch = 10;
constexpr int kMostIterations = 200'000;
// A thousand fast iterations take less than a millisecond, in which the machine may be in any state. So a
// part of the time box is always used.
constexpr double kLeastShareOfTime = 0.05;

}  // namespace

int iterations_a_reading(double reading_us, double iteration_us)
{
    constexpr double kMost = 100.0;
    const double wanted = std::ceil(100.0 * reading_us / std::max(iteration_us, 1e-9));
    return static_cast<int>(std::clamp(wanted, 1.0, kMost));
}

LoopCount loop_of_round(const Budget& budget, LoopCount usual, int round)
{
    const int warmup = budget.warmup.value_or(usual.warmup);
    if (!budget.iterations)
        return {usual.iterations, warmup};
    const int rounds = std::min(kLeastRounds, *budget.iterations);
    return {*budget.iterations / rounds + (round < *budget.iterations % rounds ? 1 : 0),
            round == 0 ? warmup : 0};
}

int Stopping::next_batch(std::span<const double> values, double elapsed_s)
{
    values_.insert(values_.end(), values.begin() + static_cast<std::ptrdiff_t>(values_.size()), values.end());
    const double middle = median_in_place(values_);
    narrow_ =
        !values_.empty() && median_interval_in_place(values_).relative_half_width(middle) <= how_.precision;
    int batch = 0;
    if (how_.iterations) {
        batch = std::min(*how_.iterations - measured_, at_most_);
    } else if (measured_ == 0) {
        batch = std::min({kFirstBatch, at_least_, at_most_});
    } else if (values.empty()) {
        batch = std::min(kFirstBatch,
                         at_most_);  // a row without a value would be worse than a slow one
    } else {
        const bool enough =
            narrow_ && measured_ >= at_least_ && elapsed_s >= kLeastShareOfTime * how_.seconds;
        const double left_s = how_.seconds - elapsed_s;
        if (!enough && left_s > 0.0 && measured_ < kMostIterations) {
            const double fitting = left_s * measured_ / std::max(elapsed_s, 1e-9);
            // Twice as many as so far, but at most what the time box allows.
            batch = std::max(1, static_cast<int>(std::min<double>({static_cast<double>(measured_), fitting,
                                                                   static_cast<double>(at_most_)})));
        }
    }
    measured_ += batch;
    return batch;
}

}  // namespace tutti::bench
