// The time of one iteration, when every rank has its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "benchmarks/suite/measure/statistics.hpp"

namespace tutti::bench {

enum class Over {
    root,     // rank 0's: the others only play along
    slowest,  // the iteration is over when the last rank is through
    mean,     // for figures that say the same of each rank
    rates,  // 1 / (sum of 1 / time): ranks that work side by side; a rank without a time (NaN) has no part in
            // it
};

/// `times`: one of each rank. NaN when the iteration does not count, because a rank began it late.
inline double combined(Over over, std::span<const double> times)
{
    if (over == Over::rates) {
        double rate = 0.0;
        for (const double time : times)
            rate += std::isnan(time) ? 0.0 : 1.0 / time;
        return 1.0 / rate;
    }
    if (over == Over::root)
        return times.front();
    if (std::any_of(times.begin(), times.end(), [](double time) { return std::isnan(time); }))
        return std::numeric_limits<double>::quiet_NaN();
    if (over == Over::mean)
        return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
    return *std::max_element(times.begin(), times.end());
}

/// The figures of a row as rank 0 gathers them: one an iteration, and those of each rank.
class Series {
public:
    Series(Over over, int ranks) : over_(over), of_ranks_(static_cast<std::size_t>(ranks)) {}

    /// `times`: those of the first rank, then of the second ...; each has `count`.
    void add(std::span<const double> times, std::size_t count)
    {
        std::vector<double> iteration(of_ranks_.size());
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t rank = 0; rank < of_ranks_.size(); ++rank) {
                iteration[rank] = times[rank * count + i];
                if (!std::isnan(iteration[rank]))
                    of_ranks_[rank].push_back(iteration[rank]);
            }
            const double time = combined(over_, iteration);
            if (std::isnan(time))
                ++late_;
            else
                values_.push_back(time);
        }
    }

    /// The number of iterations: one a value, and those that were timed together with others.
    std::size_t iterations() const noexcept { return values_.size() + more_iterations_; }
    void count_more_iterations(std::size_t more) noexcept { more_iterations_ += more; }

    /// The figures in the order in which they were measured; us.
    const std::vector<double>& values() const noexcept { return values_; }
    /// Iterations that do not count: a rank began after the time that was agreed.
    std::size_t late() const noexcept { return late_; }

    /// Each rank's median; us.
    std::vector<double> rank_medians() const
    {
        std::vector<double> medians;
        for (const std::vector<double>& times : of_ranks_) {
            if (!times.empty())
                medians.push_back(median(times));
        }
        return medians;
    }

    bool narrow = true;    // as narrow as asked
    int together = 1;      // so many iterations, too short to be timed alone, are one value
    bool gave_up = false;  // iterations were to begin at agreed times, and began after barriers

private:
    Over over_;
    std::vector<std::vector<double>> of_ranks_;
    std::vector<double> values_;
    std::size_t late_ = 0;
    std::size_t more_iterations_ = 0;
};

}  // namespace tutti::bench
