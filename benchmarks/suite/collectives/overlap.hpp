// How much of a non-blocking collective is hidden behind computing, measured as OSU does.
//
// Three loops: the collective alone (started and waited for at once); the computation alone, made to last as
// long; and both, with the computation between start and wait. The part of the collective's time that the
// third loop does not show is hidden:
//
//     overlap = max(0, 100 * (1 - (overall - compute) / pure)) %
//
// OSU takes the computation's time from the third loop, where a progress thread on the same core may lengthen
// it: OSU then counts time that the collective takes from the program as hidden. This benchmark takes it from
// the second loop.
#pragma once

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "benchmarks/suite/collectives/collective_loops.hpp"
#include "benchmarks/suite/measure/benchmark_clock.hpp"

namespace tutti::bench {

/// Times of one rank; us.
struct OverlapTimes {
    double overall = 0.0;
    double compute = 0.0;
    double start = 0.0;
    double test = 0.0;
    double wait = 0.0;
    double pure = 0.0;

    double overlap_percent() const noexcept
    {
        return pure > 0.0 ? std::clamp(100.0 * (1.0 - (overall - compute) / pure), 0.0, 100.0) : 0.0;
    }
};

/// Arithmetic in registers, which takes only the core from the collective; or a sleep, which takes nothing,
/// like a computation on an accelerator.
class Computing {
public:
    /// Measures this core's speed in some milliseconds. If it `sleeps`, makes this thread's timers precise.
    explicit Computing(bool sleeps) : sleeps_(sleeps)
    {
        if (sleeps_) {
            ::prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);  // ns
            return;
        }
        constexpr long kSteps = 200'000;
        double fastest_us = 1e9;
        for (int i = 0; i < 10; ++i) {
            const double start = now_us();
            run(kSteps);
            fastest_us = std::min(fastest_us, now_us() - start);
        }
        steps_per_us_ = kSteps / fastest_us;
    }

    long steps(double us) const noexcept { return static_cast<long>(us * steps_per_us_); }
    void run(long steps) noexcept
    {
        if (sleeps_) {
            std::this_thread::sleep_for(std::chrono::nanoseconds(steps));
            return;
        }
        double value = result_;
        for (long i = 0; i < steps; ++i)
            value = value * 0.999 + 0.001;
        result_ = value;
    }

private:
    bool sleeps_;
    double steps_per_us_ = 1000.0;  // asleep a step is a nanosecond
    volatile double result_ = 0.5;  // written for the compiler, which must not find the work useless
};

/// us of the collective alone: this rank's mean.
template <CollectiveBackend B>
double pure_time(B& job, CollectiveStep<B>& collective, LoopCount loop)
{
    double total = 0.0;
    for (int i = 0; i < loop.warmup + loop.iterations; ++i) {
        const double start = now_us();
        typename B::Request request = collective.start();
        job.wait(request);
        if (i >= loop.warmup)
            total += now_us() - start;
        job.barrier();
    }
    return total / loop.iterations;
}

/// All times of this rank. `tests` calls that test the request cut the computation into `tests` + 1 parts.
template <CollectiveBackend B>
OverlapTimes overlap_times(B& job, CollectiveStep<B>& collective, LoopCount loop, int tests,
                           Computing& computing)
{
    OverlapTimes times;
    times.pure = pure_time(job, collective, loop);
    const long part = std::max(1L, computing.steps(times.pure) / (tests + 1));
    const double before = now_us();
    for (int i = 0; i < loop.iterations * (tests + 1); ++i)
        computing.run(part);
    times.compute = (now_us() - before) / loop.iterations;
    job.barrier();
    for (int i = 0; i < loop.warmup + loop.iterations; ++i) {
        const double begin = now_us();
        typename B::Request request = collective.start();
        const double started = now_us();
        computing.run(part);
        double tested = 0.0;
        for (int test = 0; test < tests; ++test) {
            const double from = now_us();
            job.test(request);
            tested += now_us() - from;
            computing.run(part);
        }
        const double computed = now_us();
        job.wait(request);
        const double end = now_us();
        if (i >= loop.warmup) {
            times.start += started - begin;
            times.test += tested;
            times.wait += end - computed;
            times.overall += end - begin;
        }
        job.barrier();
    }
    for (double* sum : {&times.start, &times.test, &times.wait, &times.overall})
        *sum /= loop.iterations;
    return times;
}

/// Names and order are OSU's.
inline std::vector<Part> overlap_parts()
{
    return {{"Compute(us)"},    {"Coll. Init(us)", true}, {"MPI_Test(us)", true},  {"MPI_Wait(us)", true},
            {"Pure Comm.(us)"}, {"Min Comm.(us)", true},  {"Max Comm.(us)", true}, {"Overlap(%)"}};
}

/// The means over the ranks of each rank's median round; for the collective alone also the extremes. In the
/// order of overlap_parts().
template <CollectiveBackend B>
std::vector<double> parts_of(B& job, const std::vector<OverlapTimes>& rounds)
{
    std::vector<double> own;
    const auto add = [&](auto part) {
        std::vector<double> values;
        for (const OverlapTimes& times : rounds)
            values.push_back(part(times));
        own.push_back(median(std::move(values)));
    };
    add([](const OverlapTimes& times) { return times.compute; });
    add([](const OverlapTimes& times) { return times.start; });
    add([](const OverlapTimes& times) { return times.test; });
    add([](const OverlapTimes& times) { return times.wait; });
    add([](const OverlapTimes& times) { return times.pure; });
    add([](const OverlapTimes& times) { return times.overlap_percent(); });
    constexpr std::size_t kPure = 4;
    const std::vector<double> all = gathered(job, std::span<const double>(own));
    std::vector<double> parts(own.size());
    double least = all[kPure];
    double most = all[kPure];
    for (std::size_t i = 0; i < all.size(); ++i) {
        parts[i % own.size()] += all[i] / job.size();
        if (i % own.size() == kPure) {
            least = std::min(least, all[i]);
            most = std::max(most, all[i]);
        }
    }
    parts.insert(parts.end() - 1, {least, most});
    return parts;
}

/// One round is all three loops.
template <CollectiveBackend B>
void overlaps(Session<B>& session)
{
    B& job = session.job();
    const int tests = session.options().tests;
    Computing computing(session.options().compute == "sleep");
    bool opened = false;
    each_step(session, [&](CollectiveStep<B>& step, std::optional<double> key, std::size_t size_bytes) {
        const auto call = [&] {
            typename B::Request request = step.start();
            job.wait(request);
        };
        call();  // says, before a header does, when the library has no such form
        if (!std::exchange(opened, true))
            session.open(Start::barrier, {.parts = overlap_parts(),
                                          .notes = {"Overall = Coll. Init + Compute + MPI_Test + MPI_Wait"}});
        const std::optional<bool> valid = step.check(call);
        const bool large = size_bytes >= kLargeBytes;
        const LoopCount usual = large ? LoopCount{20, 2} : LoopCount{100, 10};
        std::vector<OverlapTimes> rounds;
        const Series series = session.sampler().rounds(Over::slowest, usual, [&](LoopCount loop) {
            rounds.push_back(overlap_times(job, step, loop, tests, computing));
            return rounds.back().overall;
        });
        Row row = row_of(key, series, [](double us) { return us; });
        row.valid = valid;
        row.parts = parts_of(job, rounds);
        session.row(row);
    });
}

}  // namespace tutti::bench
