// The loops over all ranks: collectives, the barrier, and a token that goes round.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "benchmarks/suite/backend.hpp"
#include "benchmarks/suite/buffers.hpp"
#include "benchmarks/suite/clock.hpp"
#include "benchmarks/suite/options.hpp"
#include "benchmarks/suite/report.hpp"

namespace tutti::bench {

inline constexpr int kTokenTag = 3;
inline constexpr int kResultTag = 4;

/// `value` of every rank, in rank order, at rank 0; nothing at the others.
template <Backend B>
std::vector<double> collect(B& job, double value)
{
    const auto bytes_of = [](double& number) { return std::as_writable_bytes(std::span(&number, 1)); };
    if (job.rank() != 0) {
        job.send(bytes_of(value), 0, kResultTag);
        return {};
    }
    std::vector<double> values{value};
    for (int source = 1; source < job.size(); ++source) {
        values.push_back(0.0);
        job.recv(bytes_of(values.back()), source, kResultTag);
    }
    return values;
}

/// Mean, smallest and largest over the ranks, at rank 0.
template <Backend B>
Sample over_ranks(B& job, double value)
{
    const std::vector<double> values = collect(job, value);
    if (values.empty())
        return {};
    const auto [min, max] = std::minmax_element(values.begin(), values.end());
    return {std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()), *min,
            *max};
}

/// OSU's definition: each call is timed on its own, with an untimed barrier between calls; the mean over the
/// calls, then over the ranks. us.
template <Backend B, class Call>
Sample collective(B& job, LoopCount loop, Call call)
{
    double total = 0.0;
    for (int i = 0; i < loop.warmup + loop.iterations; ++i) {
        const double start = now_us();
        call();
        const double stop = now_us();
        if (i >= loop.warmup)
            total += stop - start;
        job.barrier();
    }
    return over_ranks(job, total / loop.iterations);
}

/// Barriers back to back: us a barrier.
template <Backend B>
Sample barrier(B& job, LoopCount loop)
{
    double start = 0.0;
    for (int i = 0; i < loop.warmup + loop.iterations; ++i) {
        if (i == loop.warmup)
            start = now_us();
        job.barrier();
    }
    return over_ranks(job, (now_us() - start) / loop.iterations);
}

/// A token goes round all ranks: time of a round / ranks in us, on rank 0. Needs two ranks or more.
template <Backend B>
double ring(B& job, Buffers& buffers, std::size_t size_bytes, LoopCount loop)
{
    const Bytes out = buffers.out.bytes(size_bytes);
    const Bytes in = buffers.in.bytes(size_bytes);
    const int next = (job.rank() + 1) % job.size();
    const int previous = (job.rank() + job.size() - 1) % job.size();
    double start = 0.0;
    for (int i = 0; i < loop.warmup + loop.iterations; ++i) {
        if (i == loop.warmup)
            start = now_us();
        if (job.rank() == 0) {
            job.send(out, next, kTokenTag);
            job.recv(in, previous, kTokenTag);
        } else {
            job.recv(in, previous, kTokenTag);
            job.send(out, next, kTokenTag);
        }
    }
    return (now_us() - start) / (static_cast<double>(loop.iterations) * job.size());
}

}  // namespace tutti::bench
