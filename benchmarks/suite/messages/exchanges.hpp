// The parts of the loops over messages: a round trip, and windows of messages.
#pragma once

#include <span>
#include <vector>

#include "benchmarks/suite/library/backend.hpp"
#include "benchmarks/suite/library/page_buffers.hpp"

namespace tutti::bench {

inline constexpr int kDataTag = 1;
inline constexpr int kAcknowledgeTag = 2;

/// The rank that this one exchanges messages with.
struct Partner {
    int rank;
    bool first;  // this rank sends first; in one direction it is the sender
};

/// A round trip.
template <Messages B>
void ping_pong(B& job, Partner partner, Bytes out, Bytes in, int tag = kDataTag)
{
    if (partner.first) {
        job.send(out, partner.rank, tag);
        job.recv(in, partner.rank, tag);
    } else {
        job.recv(in, partner.rank, tag);
        job.send(out, partner.rank, tag);
    }
}

/// The state of a window of messages to or from each of some ranks; empty if there are no ranks.
template <Messages B>
struct MessageWindow {
    explicit MessageWindow(int messages, std::size_t partners = 1)
        : sends(static_cast<std::size_t>(messages) * partners),
          receives(static_cast<std::size_t>(messages) * partners)
    {
    }
    std::vector<typename B::Request> sends;
    std::vector<typename B::Request> receives;
    PageBuffer acknowledgement{4, 0};
};

/// A window of isends to each of `partners`, which get the same messages in turn. Each partner acknowledges
/// the window by 4 bytes once it has received all messages.
template <Messages B>
void send_window(B& job, std::span<const int> partners, MessagePlaces out, MessageWindow<B>& window)
{
    std::size_t message = 0;
    for (auto request = window.sends.begin(); request != window.sends.end(); ++message) {
        for (const int partner : partners)
            *request++ = job.isend(out[message], partner, kDataTag);
    }
    job.wait_all(window.sends);
    for (const int partner : partners)
        job.recv(window.acknowledgement.bytes(4), partner, kAcknowledgeTag);
}

/// Receives usually into one place, as in OSU's benchmarks: this measures the transfer, not the cache.
template <Messages B>
void receive_window(B& job, std::span<const int> partners, MessagePlaces in, MessageWindow<B>& window)
{
    std::size_t message = 0;
    for (auto request = window.receives.begin(); request != window.receives.end(); ++message) {
        for (const int partner : partners)
            *request++ = job.irecv(in[message], partner, kDataTag);
    }
    job.wait_all(window.receives);
    for (const int partner : partners)
        job.send(window.acknowledgement.bytes(4), partner, kAcknowledgeTag);
}

/// A window from the first rank of the pair to the other.
template <Messages B>
void one_way_window(B& job, Partner partner, MessagePlaces out, MessagePlaces in, MessageWindow<B>& window)
{
    if (partner.first)
        send_window(job, std::span(&partner.rank, 1), out, window);
    else
        receive_window(job, std::span(&partner.rank, 1), in, window);
}

/// A window in each direction.
template <Messages B>
void two_way_window(B& job, Partner partner, MessagePlaces out, MessagePlaces in, MessageWindow<B>& window)
{
    // Receives first, so that messages find them posted.
    for (std::size_t i = 0; i < window.receives.size(); ++i)
        window.receives[i] = job.irecv(in[i], partner.rank, kDataTag);
    for (std::size_t i = 0; i < window.sends.size(); ++i)
        window.sends[i] = job.isend(out[i], partner.rank, kDataTag);
    job.wait_all(window.sends);
    job.wait_all(window.receives);
}

}  // namespace tutti::bench
