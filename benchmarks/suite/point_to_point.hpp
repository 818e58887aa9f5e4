// The loops between two ranks: ping-pong, and windows of messages in one or both directions.
#pragma once

#include <vector>

#include "benchmarks/suite/backend.hpp"
#include "benchmarks/suite/buffers.hpp"
#include "benchmarks/suite/clock.hpp"
#include "benchmarks/suite/options.hpp"

namespace tutti::bench {

inline constexpr int kDataTag = 1;
inline constexpr int kAcknowledgeTag = 2;

/// Ping-pong. Half the round trip in us, on rank 0; ranks other than 0 and 1 only return.
template <Backend B>
double latency(B& job, Buffers& buffers, std::size_t size_bytes, LoopCount loop)
{
    const Bytes out = buffers.out.bytes(size_bytes);
    const Bytes in = buffers.in.bytes(size_bytes);
    double start = 0.0;
    for (int i = 0; i < loop.warmup + loop.iterations; ++i) {
        if (i == loop.warmup)
            start = now_us();
        if (job.rank() == 0) {
            job.send(out, 1, kDataTag);
            job.recv(in, 1, kDataTag);
        } else {
            job.recv(in, 0, kDataTag);
            job.send(out, 0, kDataTag);
        }
    }
    return (now_us() - start) / (2.0 * loop.iterations);
}

/// A window of isends, answered by an empty-handed acknowledgement of 4 bytes once all have been received.
/// Returns microseconds a window, on rank 0.
template <Backend B>
double one_way_window(B& job, Buffers& buffers, std::size_t size_bytes, LoopCount loop, int window)
{
    const Bytes out = buffers.out.bytes(size_bytes);
    const Bytes in = buffers.in.bytes(size_bytes);
    Buffer acknowledgement(4, 0);
    std::vector<typename B::Request> requests(static_cast<std::size_t>(window));
    double start = 0.0;
    for (int i = 0; i < loop.warmup + loop.iterations; ++i) {
        if (i == loop.warmup)
            start = now_us();
        if (job.rank() == 0) {
            for (auto& request : requests)
                request = job.isend(out, 1, kDataTag);
            job.wait_all(requests);
            job.recv(acknowledgement.bytes(4), 1, kAcknowledgeTag);
        } else {
            // All into one buffer, as OSU does: what is measured is the transfer, not the receiver's cache.
            for (auto& request : requests)
                request = job.irecv(in, 0, kDataTag);
            job.wait_all(requests);
            job.send(acknowledgement.bytes(4), 0, kAcknowledgeTag);
        }
    }
    return (now_us() - start) / loop.iterations;
}

/// Both ranks send a window and receive one. Returns microseconds a pair of windows.
template <Backend B>
double two_way_window(B& job, Buffers& buffers, std::size_t size_bytes, LoopCount loop, int window)
{
    const Bytes out = buffers.out.bytes(size_bytes);
    const Bytes in = buffers.in.bytes(size_bytes);
    const int peer = 1 - job.rank();
    std::vector<typename B::Request> sends(static_cast<std::size_t>(window));
    std::vector<typename B::Request> receives(static_cast<std::size_t>(window));
    double start = 0.0;
    for (int i = 0; i < loop.warmup + loop.iterations; ++i) {
        if (i == loop.warmup)
            start = now_us();
        // Receives first, so that messages find them posted.
        for (auto& request : receives)
            request = job.irecv(in, peer, kDataTag);
        for (auto& request : sends)
            request = job.isend(out, peer, kDataTag);
        job.wait_all(sends);
        job.wait_all(receives);
    }
    return (now_us() - start) / loop.iterations;
}

}  // namespace tutti::bench
