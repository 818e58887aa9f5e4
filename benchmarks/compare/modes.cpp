#include "benchmarks/compare/modes.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "benchmarks/peers/run_program.hpp"
#include "benchmarks/suite/measure/statistics.hpp"

namespace tutti::bench {

namespace {

constexpr int kProbesAtFirst = 5;
constexpr double kLongestHoldSeconds = 5.0;
constexpr std::chrono::milliseconds kBetweenProbes{100};

}  // namespace

Modes::Modes(Probe probe, double patience_seconds)
    : probe_(std::move(probe)), patience_seconds_(patience_seconds)
{
    std::vector<double> trips;
    for (int i = 0; i < kProbesAtFirst; ++i) {
        if (const std::optional<double> trip = probe_())
            trips.push_back(*trip);
    }
    if (!trips.empty())
        usual_ns_ = median(trips);
}

bool Modes::is_usual(std::optional<double> trip_ns) const
{
    return !usual_ns_ || !trip_ns || is_same_mode(*trip_ns, *usual_ns_);
}

std::optional<double> Modes::hold()
{
    const auto begin = std::chrono::steady_clock::now();
    const auto waited_seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    std::optional<double> trip = probe_();
    while (!is_usual(trip) && waited_seconds() < std::min(patience_seconds_, kLongestHoldSeconds) &&
           Interruptible::signal() == 0) {
        std::this_thread::sleep_for(kBetweenProbes);
        trip = probe_();
    }
    patience_seconds_ = std::max(0.0, patience_seconds_ - waited_seconds());
    return trip;
}

}  // namespace tutti::bench
