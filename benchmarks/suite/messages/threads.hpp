// Ping-pongs of several threads of two ranks at the same time, each with its own twin.
#pragma once

#include <algorithm>
#include <barrier>
#include <deque>
#include <numeric>
#include <thread>
#include <vector>

#include "benchmarks/suite/measure/benchmark_clock.hpp"
#include "benchmarks/suite/messages/point_to_point.hpp"

namespace tutti::bench {

inline constexpr int kThreadTag = 100;  // that of the first thread; the others' follow

/// The threads of this rank, which exist as long as one measurement takes. Their buffers share no cache line.
template <Backend B>
class PingPongThreads {
public:
    PingPongThreads(B& job, int threads, std::size_t size_bytes, Memory memory)
        : job_(job), partner_(other_of_two(job)), size_bytes_(size_bytes)
    {
        for (int thread = 0; thread < threads; ++thread)
            buffers_.emplace_back(size_bytes, memory);
    }

    /// The mean over the threads of their mean round trips; us.
    double round_trip_us(LoopCount loop)
    {
        return mean_of_threads([&](std::size_t thread) {
            double start = 0.0;
            for (int i = 0; i < loop.warmup + loop.iterations; ++i) {
                if (i == loop.warmup)
                    start = now_us();
                exchange(thread);
            }
            return (now_us() - start) / loop.iterations;
        });
    }

    /// Each thread with bytes of its own.
    bool validate()
    {
        const double wrong = mean_of_threads([&](std::size_t thread) {
            const Bytes in = buffers_[thread].in.bytes(size_bytes_);
            fill_pattern(buffers_[thread].out.bytes(size_bytes_), thread);
            std::fill(in.begin(), in.end(), std::byte{'?'});
            exchange(thread);
            return static_cast<double>(wrong_bytes(in, thread));
        });
        return none_wrong(job_, wrong > 0.0 ? 1 : 0);
    }

private:
    void exchange(std::size_t thread)
    {
        ping_pong(job_, partner_, buffers_[thread].out.bytes(size_bytes_),
                  buffers_[thread].in.bytes(size_bytes_), kThreadTag + static_cast<int>(thread));
    }

    // task(thread), on threads that begin together.
    template <class Task>
    double mean_of_threads(Task task)
    {
        std::vector<double> figures(buffers_.size());
        std::barrier together(static_cast<std::ptrdiff_t>(buffers_.size()));
        {
            std::vector<std::jthread> threads;
            for (std::size_t thread = 0; thread < buffers_.size(); ++thread)
                threads.emplace_back([&, thread] {
                    together.arrive_and_wait();
                    figures[thread] = task(thread);
                });
        }
        return std::accumulate(figures.begin(), figures.end(), 0.0) / static_cast<double>(figures.size());
    }

    B& job_;
    Partner partner_;
    std::size_t size_bytes_;
    std::deque<Buffers> buffers_;
};

/// A round is a batch of round trips of all threads.
template <Backend B>
void threaded_latency(Session<B>& session)
{
    B& job = session.job();
    if (!job.joined().any_thread)
        throw NotOffered("calls from several threads at once");
    const int count = session.options().threads;
    session.open(Start::free,
                 {.title = fmt::format("{}, {} threads a rank", session.benchmark().title, count),
                  .notes = {fmt::format("Number of Sender threads: {}", count),
                            fmt::format("Number of Receiver threads: {}", count)}});
    const std::vector<std::size_t> sizes = session.options().size_list();
    session.require_buffers(count, static_cast<double>(sizes.back()));
    session.expect_rows(sizes.size());
    for (const std::size_t size_bytes : sizes) {
        session.begin_row(fmt::format("size {}", size_bytes));
        PingPongThreads<B> threads(job, count, size_bytes, session.memory());
        const std::optional<bool> valid = session.checked([&] { return threads.validate(); });
        const bool large = size_bytes >= kLargeBytes;
        const LoopCount usual = large ? LoopCount{20, 2} : LoopCount{200, 20};
        const Series series = session.sampler().rounds(
            Over::root, usual, [&](LoopCount loop) { return threads.round_trip_us(loop); });
        session.row(
            static_cast<double>(size_bytes), series, [](double us) { return us / 2.0; }, valid);
    }
}

}  // namespace tutti::bench
