// Many send to few (fan-in), or few to many (fan-out): the ranks of the first host, each with the rank at its
// place on every other host, as OSU's bw_fan_in and bw_fan_out. On one host every rank counts as a host of
// its own.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "benchmarks/suite/messages/exchanges.hpp"
#include "benchmarks/suite/session/session.hpp"
#include "benchmarks/suite/session/validate.hpp"

namespace tutti::bench {

/// A rank's part in a fan.
struct FanPart {
    bool hub;                   // one of the few
    std::vector<int> partners;  // the hub's many, or the one hub
};

/// `host_of` has the number of each rank's host, 0 for rank 0's. Throws UnsuitableJob where hosts have
/// unequally many ranks.
inline FanPart fan_part(int rank, std::vector<int> host_of)
{
    const int hosts = 1 + *std::max_element(host_of.begin(), host_of.end());
    if (hosts == 1) {
        for (std::size_t i = 0; i < host_of.size(); ++i)
            host_of[i] = static_cast<int>(i);
    }
    std::vector<std::vector<int>> ranks(
        1 + static_cast<std::size_t>(*std::max_element(host_of.begin(), host_of.end())));
    for (std::size_t i = 0; i < host_of.size(); ++i)
        ranks[static_cast<std::size_t>(host_of[i])].push_back(static_cast<int>(i));
    for (const std::vector<int>& host : ranks) {
        if (host.size() != ranks.front().size())
            throw UnsuitableJob(
                fmt::format("fan-in and fan-out need equally many ranks on every host, and one has {}, "
                            "another {}: start them with --map-by ppr or -ppn",
                            ranks.front().size(), host.size()));
    }
    const std::vector<int>& own = ranks[static_cast<std::size_t>(host_of[static_cast<std::size_t>(rank)])];
    const auto place = static_cast<std::size_t>(std::find(own.begin(), own.end(), rank) - own.begin());
    if (&own != &ranks.front())
        return {false, {ranks.front()[place]}};
    FanPart part{true, {}};
    for (std::size_t host = 1; host < ranks.size(); ++host)
        part.partners.push_back(ranks[host][place]);
    return part;
}

/// A window to or from each partner; the bandwidths of all hubs together.
template <Backend B>
void congestion(Session<B>& session)
{
    B& job = session.job();
    const FanPart part = fan_part(job.rank(), session.placement().host_of);
    const bool sends = part.hub == (session.name() == "fan-out");
    const int messages = session.options().window;
    MessageWindow<B> window(messages, part.partners.size());
    session.open(Start::free);
    session.each_window_size(messages, [&](MessagePlaces out, MessagePlaces in, std::size_t size_bytes) {
        const auto step = [&] {
            if (sends)
                send_window(job, part.partners, out, window);
            else
                receive_window(job, part.partners, in, window);
        };
        const std::optional<bool> valid = session.checked([&] {
            const bool apart = validate_messages(job, part.partners, size_bytes);
            return validate_step(job, out, in, !sends, step) && apart;
        });
        const Series series = session.sampler().iterations(Over::rates, Start::free, step, part.hub);
        // Equally many at every hub; rank 0 is one.
        const double bytes = static_cast<double>(size_bytes * window.sends.size());
        session.row(
            static_cast<double>(size_bytes), series, [=](double us) { return bytes / us; }, valid);
    });
}

}  // namespace tutti::bench
