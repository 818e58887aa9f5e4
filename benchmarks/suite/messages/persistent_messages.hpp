// The loops between two ranks with persistent requests, which are made once and started repeatedly.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/suite/messages/point_to_point.hpp"

namespace tutti::bench {

/// The state of a window in one direction or both.
template <Backend B>
struct PersistentWindow {
    PersistentWindow(B& job, Partner partner, MessagePlaces out, MessagePlaces in, std::size_t messages,
                     bool both_ways)
    {
        for (std::size_t i = 0; i < messages; ++i) {
            if (partner.first || both_ways)
                sends.push_back(job.send_init(out[i], partner.rank, kDataTag));
            if (!partner.first || both_ways)
                receives.push_back(job.recv_init(in[i], partner.rank, kDataTag));
        }
    }
    std::vector<typename B::Persistent> sends;
    std::vector<typename B::Persistent> receives;
    PageBuffer acknowledgement{4, 0};
};

template <Backend B>
void persistent_window(B& job, Partner partner, PersistentWindow<B>& window, bool both_ways)
{
    // Receives first, so that messages find them posted.
    job.start_all(window.receives);
    job.start_all(window.sends);
    job.wait_all(window.sends);
    job.wait_all(window.receives);
    if (both_ways)
        return;
    if (partner.first)
        job.recv(window.acknowledgement.bytes(4), partner.rank, kAcknowledgeTag);
    else
        job.send(window.acknowledgement.bytes(4), partner.rank, kAcknowledgeTag);
}

template <Backend B>
void complete(B& job, typename B::Persistent& request)
{
    job.start(request);
    job.wait(request);
}

template <Backend B>
void latency_persistent(Session<B>& session)
{
    B& job = session.job();
    const Partner partner = other_of_two(job);
    session.open(Start::free);
    session.each_size(1, [&](Buffers& buffers, std::size_t size_bytes) {
        const Bytes out = buffers.out.bytes(size_bytes);
        const Bytes in = buffers.in.bytes(size_bytes);
        auto send = job.send_init(out, partner.rank, kDataTag);
        auto receive = job.recv_init(in, partner.rank, kDataTag);
        const auto step = [&] {
            complete(job, partner.first ? send : receive);
            complete(job, partner.first ? receive : send);
        };
        const std::optional<bool> valid =
            session.checked([&] { return validate_step(job, out, in, true, step); });
        const Series series = session.sampler().iterations(Over::root, Start::free,
                                                           touching(session.options().touch, out, in, step));
        session.row(
            static_cast<double>(size_bytes), series, [](double us) { return us / 2.0; }, valid);
    });
}

/// latency_persistent, bw_persistent, bibw_persistent.
template <Backend B>
void persistent_messages(Session<B>& session)
{
    if (session.name() == "latency_persistent")
        return latency_persistent(session);
    B& job = session.job();
    const bool both_ways = session.name() == "bibw_persistent";
    const int messages = session.options().window;
    const Partner partner = other_of_two(job);
    session.open(Start::free);
    session.each_window_size(messages, [&](MessagePlaces out, MessagePlaces in, std::size_t size_bytes) {
        PersistentWindow<B> window(job, partner, out, in, static_cast<std::size_t>(messages), both_ways);
        const auto step = [&] { persistent_window(job, partner, window, both_ways); };
        const std::optional<bool> valid =
            session.checked([&] { return validate_step(job, out, in, both_ways || !partner.first, step); });
        const Series series = session.sampler().iterations(Over::root, Start::free,
                                                           touching(session.options().touch, out, in, step));
        const double bytes = static_cast<double>(size_bytes) * messages * (both_ways ? 2.0 : 1.0);
        session.row(
            static_cast<double>(size_bytes), series, [=](double us) { return bytes / us; }, valid);
    });
}

}  // namespace tutti::bench
