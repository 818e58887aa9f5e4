// The loops over pairs of ranks that exchange messages at the same time: rank i with rank i + pairs, as OSU
// pairs the ranks of two hosts.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/suite/messages/exchanges.hpp"
#include "benchmarks/suite/session/session.hpp"
#include "benchmarks/suite/session/touch.hpp"
#include "benchmarks/suite/session/validate.hpp"

namespace tutti::bench {

/// Empty for a rank without a partner.
inline std::optional<Partner> partner_of(int rank, int pairs)
{
    if (rank >= 2 * pairs)
        return {};
    return rank < pairs ? Partner{rank + pairs, true} : Partner{rank - pairs, false};
}

/// The number of pairs: as requested, or all that the ranks make. Throws UnsuitableJob.
template <Backend B>
int pairs_of(const Session<B>& session)
{
    const int most = session.job().size() / 2;
    const int pairs = session.options().pairs.value_or(most);
    if (pairs > most)
        throw UnsuitableJob(
            fmt::format("{} of {} pairs needs {} ranks (this job has {}): start it with -n {}",
                        session.name(), pairs, 2 * pairs, session.job().size(), 2 * pairs));
    return pairs;
}

inline std::string words_for(int pairs)
{
    return pairs == 1 ? "1 pair" : fmt::format("{} pairs", pairs);
}

/// Both ranks of a pair see the same round trip, so the mean over all ranks counts.
template <Backend B>
void multi_latency(Session<B>& session)
{
    B& job = session.job();
    if (job.size() % 2 != 0)
        throw UnsuitableJob(
            fmt::format("{} needs an even number of ranks (this job has {}): start it with -n {}",
                        session.name(), job.size(), job.size() - 1));
    const Partner partner = *partner_of(job.rank(), job.size() / 2);
    session.open(Start::free,
                 {.title = fmt::format("{}, {}", session.benchmark().title, words_for(job.size() / 2))});
    session.each_size(1, [&](Buffers& buffers, std::size_t size_bytes) {
        const Bytes out = buffers.out.bytes(size_bytes);
        const Bytes in = buffers.in.bytes(size_bytes);
        const auto step = [&] { ping_pong(job, partner, out, in); };
        const std::optional<bool> valid =
            session.checked([&] { return validate_step(job, out, in, true, step); });
        const Series series = session.sampler().iterations(Over::mean, Start::free,
                                                           touching(session.options().touch, out, in, step));
        session.row(
            static_cast<double>(size_bytes), series, [](double us) { return us / 2.0; }, valid);
    });
}

/// The sum of all pairs' bandwidths in windows of so many messages, as the senders see them.
template <Backend B>
Row windows_of_pairs(Session<B>& session, int messages, const std::optional<Partner>& partner,
                     MessagePlaces out, MessagePlaces in, std::size_t size_bytes)
{
    B& job = session.job();
    const std::vector<int> peers = partner ? std::vector<int>{partner->rank} : std::vector<int>{};
    MessageWindow<B> window(messages);
    const bool sends = partner && partner->first;
    const auto step = [&] {
        if (partner)
            one_way_window(job, *partner, out, in, window);
    };
    const std::optional<bool> valid = session.checked([&] {
        const bool apart = validate_messages(job, peers, size_bytes);
        return validate_step(job, out, in, partner && !sends, step) && apart;
    });
    const Series series = session.sampler().iterations(
        Over::rates, Start::free, touching(session.options().touch && partner, out, in, step), sends);
    const double bytes = static_cast<double>(size_bytes) * messages;
    Row row = row_of(static_cast<double>(size_bytes), series, [=](double us) { return bytes / us; });
    row.valid = valid;
    return row;
}

/// The output shows messages per second next to the bandwidth.
template <Backend B>
void multi_bandwidth(Session<B>& session)
{
    const int messages = session.options().window;
    const bool rate = session.options().print_rate;
    const int pairs = pairs_of(session);
    const std::optional<Partner> partner = partner_of(session.job().rank(), pairs);
    session.open(Start::free, {.title = fmt::format("{}, {}, window of {}", session.benchmark().title,
                                                    words_for(pairs), messages),
                               .parts = rate ? std::vector<Part>{{"Messages/s"}} : std::vector<Part>{},
                               .notes = {fmt::format("[ pairs: {} ] [ window size: {} ]", pairs, messages)}});
    session.each_window_size(messages, [&](MessagePlaces out, MessagePlaces in, std::size_t size_bytes) {
        Row row = windows_of_pairs(session, messages, partner, out, in, size_bytes);
        if (rate)
            row.parts = {1e6 * row.summary.median / static_cast<double>(size_bytes)};
        session.row(row);
    });
}

/// Windows of several lengths: the best bandwidth, and the bandwidth of each length.
template <Backend B>
void varied_windows(Session<B>& session)
{
    constexpr std::array kLengths = {1, 2, 4, 8, 16, 32, 64, 128};
    const int pairs = pairs_of(session);
    const std::optional<Partner> partner = partner_of(session.job().rank(), pairs);
    std::vector<Part> parts;
    for (const int length : kLengths)
        parts.push_back({fmt::format("Window {}", length)});
    session.open(Start::free,
                 {.title = fmt::format("{}, {}, best window", session.benchmark().title, words_for(pairs)),
                  .parts = std::move(parts),
                  .notes = {fmt::format("[ pairs: {} ] [ window size: varied ]", pairs)}});
    session.each_window_size(kLengths.back(),
                             [&](MessagePlaces out, MessagePlaces in, std::size_t size_bytes) {
                                 std::optional<Row> best;
                                 std::vector<double> bandwidths;
                                 bool valid = true;
                                 for (const int length : kLengths) {
                                     const auto messages = static_cast<std::size_t>(length);
                                     Row row = windows_of_pairs(session, length, partner, out.first(messages),
                                                                in.first(messages), size_bytes);
                                     bandwidths.push_back(row.summary.median);
                                     valid = valid && row.valid.value_or(true);
                                     if (!best || row.summary.median > best->summary.median)
                                         best = std::move(row);
                                 }
                                 best->parts = std::move(bandwidths);
                                 if (best->valid)
                                     best->valid = valid;
                                 session.row(*best);
                             });
}

template <Backend B>
void multi_pair(Session<B>& session)
{
    if (session.name() == "multi_lat")
        multi_latency(session);
    else if (session.options().vary_window)
        varied_windows(session);
    else
        multi_bandwidth(session);
}

}  // namespace tutti::bench
