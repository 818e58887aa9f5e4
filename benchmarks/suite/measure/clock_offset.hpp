// Measures how much the ranks' clocks differ, so that all can begin at one time.
//
// Of many round trips the fastest was disturbed least: when rank 0 asked at s and had its answer at r, the
// other rank read its clock at (s + r) / 2, give or take half the round trip (Cristian, "Probabilistic clock
// synchronization", 1989). Estimated anew for every row: clocks of different hosts drift apart by
// microseconds a second. Ranks that read the same clock are not asked: an estimate would be wrong by some
// 50 ns, which is a good part of what a small collective takes.
//
// Source of the method for benchmarks of collectives: Hunold and Carpen-Amarie, "Reproducible MPI
// Benchmarking Is Still Not as Easy as You Think", IEEE TPDS 2016.
#pragma once

#include <cstdint>
#include <limits>

#include "benchmarks/suite/library/job_under_test.hpp"
#include "benchmarks/suite/measure/benchmark_clock.hpp"

namespace tutti::bench {

/// A job whose ranks can ask each other for the time.
template <class B>
concept Exchanging = Job<B> && requires(B& job, Bytes in, ConstBytes out)
{
    job.send(out, 0, 0);
    job.recv(in, 0, 0);
};

inline constexpr int kClockTag = 8;
inline constexpr int kClockTrips = 30;

/// A number, equal for all processes that read one clock; 0 where that cannot be known.
std::uint64_t clock_identity();

/// Add it to rank 0's time to get this rank's; us. All ranks call it.
template <Exchanging B>
double clock_offset(B& job)
{
    double offset = 0.0;
    const auto writable = [](auto& number) { return std::as_writable_bytes(std::span(&number, 1)); };
    std::uint64_t own_clock = clock_identity();
    std::uint64_t other_clock = 0;
    const auto same_clock = [&] { return own_clock != 0 && own_clock == other_clock; };
    if (job.rank() != 0) {
        job.recv(writable(other_clock), 0, kClockTag);
        job.send(writable(own_clock), 0, kClockTag);
        if (same_clock())
            return 0.0;
        for (int trip = 0; trip < kClockTrips; ++trip) {
            double asked = 0.0;
            job.recv(writable(asked), 0, kClockTag);
            double answer = now_us();
            job.send(writable(answer), 0, kClockTag);
        }
        job.recv(writable(offset), 0, kClockTag);
        return offset;
    }
    for (int rank = 1; rank < job.size(); ++rank) {
        double estimate = 0.0;
        double fastest = std::numeric_limits<double>::infinity();
        job.send(writable(own_clock), rank, kClockTag);
        job.recv(writable(other_clock), rank, kClockTag);
        if (same_clock())
            continue;
        for (int trip = 0; trip < kClockTrips; ++trip) {
            double answer = 0.0;
            double asked = now_us();
            job.send(writable(asked), rank, kClockTag);
            job.recv(writable(answer), rank, kClockTag);
            const double answered = now_us();
            if (answered - asked < fastest) {
                fastest = answered - asked;
                estimate = answer - (asked + answered) / 2.0;
            }
        }
        job.send(writable(estimate), rank, kClockTag);
    }
    return 0.0;
}

}  // namespace tutti::bench
