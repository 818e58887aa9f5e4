// By how much the clocks of the ranks differ, so that all can begin at one time.
//
// Of many round trips the fastest was disturbed least: when rank 0 asked at s and had its answer at r, the
// other rank read its clock at (s + r) / 2, give or take half the round trip (Cristian, "Probabilistic clock
// synchronization", 1989). Estimated anew for every row: clocks of different hosts drift apart by
// microseconds a second. Ranks of one host have one clock; the estimate then shows how good it is.
//
// Source of the method for benchmarks of collectives: Hunold and Carpen-Amarie, "Reproducible MPI
// Benchmarking Is Still Not as Easy as You Think", IEEE TPDS 2016.
#pragma once

#include <limits>

#include "benchmarks/suite/clock.hpp"
#include "benchmarks/suite/job.hpp"

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

/// Add it to rank 0's time to get this rank's; us. All ranks call it.
template <Exchanging B>
double clock_offset(B& job)
{
    double offset = 0.0;
    const auto writable = [](double& number) { return std::as_writable_bytes(std::span(&number, 1)); };
    if (job.rank() != 0) {
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
