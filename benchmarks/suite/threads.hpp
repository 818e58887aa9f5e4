// Ping-pongs of several threads of two ranks at the same time, each with its own twin.
#pragma once

#include <barrier>
#include <deque>
#include <numeric>
#include <thread>
#include <vector>

#include "benchmarks/suite/clock.hpp"
#include "benchmarks/suite/point_to_point.hpp"

namespace tutti::bench {

inline constexpr int kThreadTag = 100;  // that of the first thread; the others' follow

/// The mean over the threads of their mean round trips; us.
template <Backend B>
double threaded_round_trip(B& job, Partner partner, std::deque<Buffers>& buffers, std::size_t size_bytes,
                           LoopCount loop)
{
    std::vector<double> means(buffers.size());
    std::barrier together(static_cast<std::ptrdiff_t>(buffers.size()));
    const auto exchange = [&](std::size_t thread) {
        const Bytes out = buffers[thread].out.bytes(size_bytes);
        const Bytes in = buffers[thread].in.bytes(size_bytes);
        const int tag = kThreadTag + static_cast<int>(thread);
        together.arrive_and_wait();
        double start = 0.0;
        for (int i = 0; i < loop.warmup + loop.iterations; ++i) {
            if (i == loop.warmup)
                start = now_us();
            ping_pong(job, partner, out, in, tag);
        }
        means[thread] = (now_us() - start) / loop.iterations;
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t thread = 0; thread < buffers.size(); ++thread)
            threads.emplace_back(exchange, thread);
    }
    return std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(means.size());
}

/// A round is a batch of round trips of all threads. Threads' buffers share no cache line.
template <Backend B>
void threaded_latency(Session<B>& session)
{
    B& job = session.job();
    if (!job.joined().any_thread)
        throw NotOffered("calls from several threads at once");
    const Partner partner = other_of_two(job);
    const int threads = session.options().threads;
    session.open(Start::free,
                 {.title = fmt::format("{}, {} threads a rank", session.benchmark().title, threads)});
    for (const std::size_t size_bytes : session.options().size_list()) {
        std::deque<Buffers> buffers;
        for (int thread = 0; thread < threads; ++thread)
            buffers.emplace_back(size_bytes, session.memory());
        const std::optional<bool> valid =
            session.checked([&] { return validate_messages(job, std::span(&partner.rank, 1), size_bytes); });
        const bool large = size_bytes >= kLargeBytes;
        const LoopCount loop = session.options().loop_count(large ? LoopCount{20, 2} : LoopCount{200, 20});
        const Series series = session.sampler().rounds(
            Over::root, 5, [&] { return threaded_round_trip(job, partner, buffers, size_bytes, loop); });
        session.row(
            static_cast<double>(size_bytes), series, [](double us) { return us / 2.0; }, valid);
    }
}

}  // namespace tutti::bench
