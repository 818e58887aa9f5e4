// The loops between two ranks: ping-pong, and windows of messages in one or both directions.
#pragma once

#include <vector>

#include "benchmarks/suite/backend.hpp"
#include "benchmarks/suite/buffers.hpp"
#include "benchmarks/suite/session.hpp"
#include "benchmarks/suite/validate.hpp"

namespace tutti::bench {

inline constexpr int kDataTag = 1;
inline constexpr int kAcknowledgeTag = 2;

/// A round trip.
template <Backend B>
void ping_pong(B& job, Bytes out, Bytes in)
{
    if (job.rank() == 0) {
        job.send(out, 1, kDataTag);
        job.recv(in, 1, kDataTag);
    } else {
        job.recv(in, 0, kDataTag);
        job.send(out, 0, kDataTag);
    }
}

/// What a window of messages needs.
template <Backend B>
struct Window {
    explicit Window(int messages)
        : sends(static_cast<std::size_t>(messages)), receives(static_cast<std::size_t>(messages))
    {
    }
    std::vector<typename B::Request> sends;
    std::vector<typename B::Request> receives;
    Buffer acknowledgement{4, 0};
};

/// A window of isends, answered by an acknowledgement of 4 bytes once all have been received.
template <Backend B>
void one_way_window(B& job, Bytes out, Bytes in, Window<B>& window)
{
    if (job.rank() == 0) {
        for (auto& request : window.sends)
            request = job.isend(out, 1, kDataTag);
        job.wait_all(window.sends);
        job.recv(window.acknowledgement.bytes(4), 1, kAcknowledgeTag);
    } else {
        // All into one buffer, as OSU does: what is measured is the transfer, not the receiver's cache.
        for (auto& request : window.receives)
            request = job.irecv(in, 0, kDataTag);
        job.wait_all(window.receives);
        job.send(window.acknowledgement.bytes(4), 0, kAcknowledgeTag);
    }
}

/// Both ranks send a window and receive one.
template <Backend B>
void two_way_window(B& job, Bytes out, Bytes in, Window<B>& window)
{
    const int peer = 1 - job.rank();
    // Receives first, so that messages find them posted.
    for (auto& request : window.receives)
        request = job.irecv(in, peer, kDataTag);
    for (auto& request : window.sends)
        request = job.isend(out, peer, kDataTag);
    job.wait_all(window.sends);
    job.wait_all(window.receives);
}

/// latency, bw, bibw, rate.
template <Backend B>
void point_to_point(Session<B>& session)
{
    B& job = session.job();
    const std::string name = session.name();
    const int messages = session.options().window;
    Window<B> window(messages);
    session.open(Start::free);
    session.each_size(1, [&](Buffers& buffers, std::size_t size_bytes) {
        const Bytes out = buffers.out.bytes(size_bytes);
        const Bytes in = buffers.in.bytes(size_bytes);
        const std::optional<bool> valid = session.checked([&] { return validate_messages(job, size_bytes); });
        const Series series = session.sampler().iterations(Over::root, Start::free, [&] {
            if (name == "latency")
                ping_pong(job, out, in);
            else if (name == "bibw")
                two_way_window(job, out, in, window);
            else
                one_way_window(job, out, in, window);
        });
        // Bytes a microsecond are MB/s.
        const double bytes = static_cast<double>(size_bytes) * messages * (name == "bibw" ? 2.0 : 1.0);
        session.row(
            static_cast<double>(size_bytes), series,
            [&](double us) {
                return name == "latency" ? us / 2.0 : (name == "rate" ? 1e6 * messages : bytes) / us;
            },
            valid);
    });
}

}  // namespace tutti::bench
