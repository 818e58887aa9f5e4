// The cost of waiting: CPU time of a rank that blocks in a receive.
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <thread>

#include "benchmarks/suite/library/backend.hpp"
#include "benchmarks/suite/session/session.hpp"

namespace tutti::bench {

inline constexpr int kWakeTag = 8;

/// User and system time of this process, all its threads, in seconds.
inline double cpu_seconds()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// The last rank sleeps for `seconds` outside of the library and then wakes all others, who wait in recv. CPU
/// seconds used meanwhile by this rank; 0 at the last rank.
template <Backend B>
double idle(B& job, double seconds)
{
    const int waker = job.size() - 1;
    std::byte word{};
    const Bytes data(&word, 1);
    job.barrier();
    if (job.rank() == waker) {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        for (int rank = 0; rank < waker; ++rank)
            job.send(data, rank, kWakeTag);
        return 0.0;
    }
    const double before = cpu_seconds();
    job.recv(data, waker, kWakeTag);
    return cpu_seconds() - before;
}

/// The busiest waiting rank counts: no rank may spin.
template <Backend B>
void idle_wait(Session<B>& session)
{
    const double seconds = session.options().seconds;
    session.open(Start::free);
    session.expect_rows(1);
    session.begin_row(fmt::format("{} s", seconds));
    session.row(seconds, session.sampler().once(Over::slowest, idle(session.job(), seconds)),
                [](double value) { return value; });
}

}  // namespace tutti::bench
