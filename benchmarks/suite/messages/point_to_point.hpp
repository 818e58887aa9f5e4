// The loops between two ranks: ping-pong, and windows of messages in one or both directions.
#pragma once

#include "benchmarks/suite/messages/exchanges.hpp"
#include "benchmarks/suite/session/session.hpp"
#include "benchmarks/suite/session/touch.hpp"
#include "benchmarks/suite/session/validate.hpp"

namespace tutti::bench {

/// The other one of two ranks.
template <Job B>
Partner other_of_two(const B& job)
{
    return {1 - job.rank(), job.rank() == 0};
}

/// latency, bw, bibw, rate.
template <Backend B>
void point_to_point(Session<B>& session)
{
    B& job = session.job();
    const std::string name = session.name();
    const int messages = session.options().window;
    const Partner partner = other_of_two(job);
    MessageWindow<B> window(messages);
    session.open(Start::free);
    session.each_window_size(messages, [&](MessagePlaces out, MessagePlaces in, std::size_t size_bytes) {
        const auto step = [&] {
            if (name == "latency")
                ping_pong(job, partner, out[0], in[0]);
            else if (name == "bibw")
                two_way_window(job, partner, out, in, window);
            else
                one_way_window(job, partner, out, in, window);
        };
        const bool receives = name == "latency" || name == "bibw" || !partner.first;
        const std::optional<bool> valid = session.checked([&] {
            const bool apart = validate_messages(job, std::span(&partner.rank, 1), size_bytes);
            return validate_step(job, out, in, receives, step) && apart;
        });
        const Series series = session.sampler().iterations(Over::root, Start::free,
                                                           touching(session.options().touch, out, in, step));
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
