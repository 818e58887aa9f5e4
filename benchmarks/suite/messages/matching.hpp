// The cost of a message when the receiver's queues are long. P receives are posted, or P messages are
// unexpected. One after the other is matched and replaced, in an order that favours no end of the queue.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "benchmarks/suite/library/backend.hpp"
#include "benchmarks/suite/library/page_buffers.hpp"
#include "benchmarks/suite/measure/benchmark_clock.hpp"
#include "benchmarks/suite/session/session.hpp"

namespace tutti::bench {

// Above kFirstEnvelopeTag a tag names an envelope.
inline constexpr int kCommandTag = 6;
inline constexpr int kArrivedTag = 7;
inline constexpr int kFirstEnvelopeTag = 10;
inline constexpr std::size_t kMatchingBytes = 8;

/// The P distinct envelopes of a run, dealt to the sources in turn. Tags alone tell them apart, too: receives
/// from any source must not take one another's messages.
struct Envelopes {
    int depth;
    int sources;  // ranks 1 .. sources

    int source(int envelope) const { return 1 + envelope % sources; }
    int tag(int envelope) const { return kFirstEnvelopeTag + envelope; }
    /// Visits all envelopes, far apart (7919 is a prime), before it repeats.
    int turn(int iteration) const { return static_cast<int>(std::int64_t{iteration} * 7919 % depth); }
};

/// `depth` receives are posted. `ask(envelope)` makes its source send one message, `await(request, envelope)`
/// waits for it. Returns us per iteration.
template <Backend B, class Ask, class Await>
double match_posted(B& receiver, Envelopes envelopes, bool wildcard, LoopCount loop, Ask ask, Await await)
{
    PageBuffer data(static_cast<std::size_t>(envelopes.depth) * kMatchingBytes, 0);
    std::vector<typename B::Request> receives(static_cast<std::size_t>(envelopes.depth));
    const auto post = [&](int envelope) {
        const std::size_t slot = static_cast<std::size_t>(envelope);
        const Bytes all = data.bytes((slot + 1) * kMatchingBytes);
        receives[slot] =
            receiver.irecv(all.subspan(slot * kMatchingBytes),
                           wildcard ? B::kAnySource : envelopes.source(envelope), envelopes.tag(envelope));
    };
    for (int envelope = 0; envelope < envelopes.depth; ++envelope)
        post(envelope);
    double start = 0.0;
    for (int i = 0; i < loop.warmup + loop.iterations; ++i) {
        if (i == loop.warmup)
            start = now_us();
        const int envelope = envelopes.turn(i);
        ask(envelope);
        await(receives[static_cast<std::size_t>(envelope)], envelope);
        post(envelope);
    }
    const double elapsed = now_us() - start;
    // One by one: a source may block in a send while this rank awaits another source's receive.
    for (int envelope = 0; envelope < envelopes.depth; ++envelope) {
        ask(envelope);
        await(receives[static_cast<std::size_t>(envelope)], envelope);
    }
    return elapsed / loop.iterations;
}

/// `depth` messages are unexpected. `ask(envelope)` returns when another message of it has arrived,
/// `await(request, envelope)` waits for its receive. Returns us per iteration.
template <Backend B, class Ask, class Await>
double match_unexpected(B& receiver, Envelopes envelopes, LoopCount loop, Ask ask, Await await)
{
    PageBuffer data(kMatchingBytes, 0);
    const auto take = [&](int envelope) {
        auto receive =
            receiver.irecv(data.bytes(kMatchingBytes), envelopes.source(envelope), envelopes.tag(envelope));
        await(receive, envelope);
    };
    for (int envelope = 0; envelope < envelopes.depth; ++envelope)
        ask(envelope);
    double start = 0.0;
    for (int i = 0; i < loop.warmup + loop.iterations; ++i) {
        if (i == loop.warmup)
            start = now_us();
        take(envelopes.turn(i));
        ask(envelopes.turn(i));
    }
    const double elapsed = now_us() - start;
    for (int envelope = 0; envelope < envelopes.depth; ++envelope)
        take(envelope);
    return elapsed / loop.iterations;
}

/// The sources' side: sends the envelopes that rank 0 names, until it names none. Sends do not block, so the
/// library may hold messages back when too many are unexpected.
template <Backend B>
void serve_envelopes(B& job, Envelopes envelopes, bool confirm)
{
    PageBuffer data(kMatchingBytes, 'm');
    std::vector<typename B::Request> sends(static_cast<std::size_t>(envelopes.depth));
    for (;;) {
        int envelope = -1;
        job.recv(std::as_writable_bytes(std::span(&envelope, 1)), 0, kCommandTag);
        if (envelope < 0)
            break;
        auto& send = sends[static_cast<std::size_t>(envelope)];
        job.wait(send);
        send = job.isend(data.bytes(kMatchingBytes), 0, envelopes.tag(envelope));
        if (confirm)
            job.send(data.bytes(0), 0, kArrivedTag);
    }
    job.wait_all(sends);
}

/// Rank 0 receives from all other ranks. Half the time of an iteration (a command there, the message back;
/// for unexpected messages a confirmation behind it) in us, on rank 0.
template <Backend B>
double matching(B& job, int depth, std::string_view mode, LoopCount loop)
{
    const Envelopes envelopes{depth, job.size() - 1};
    const bool unexpected = mode == "unexpected";
    if (job.rank() != 0) {
        serve_envelopes(job, envelopes, unexpected);
        return 0.0;
    }
    const auto command = [&](int envelope, int source) {
        job.send(std::as_bytes(std::span(&envelope, 1)), source, kCommandTag);
    };
    PageBuffer nothing(0, 0);
    const auto ask = [&](int envelope) {
        command(envelope, envelopes.source(envelope));
        if (unexpected)
            job.recv(nothing.bytes(0), envelopes.source(envelope), kArrivedTag);
    };
    const auto await = [&](auto& request, int) { job.wait(request); };
    const double iteration = unexpected ? match_unexpected(job, envelopes, loop, ask, await)
                                        : match_posted(job, envelopes, mode == "wildcard", loop, ask, await);
    for (int source = 1; source < job.size(); ++source)
        command(-1, source);
    return iteration / 2;
}

/// One row per depth.
template <Backend B>
void matching_depths(Session<B>& session)
{
    const std::string& mode = session.options().mode;
    session.open(Start::free, {.title = fmt::format("Matching Test, queue of {}, {} source ranks",
                                                    mode == "unexpected" ? "unexpected messages"
                                                    : mode == "wildcard" ? "receives from any source"
                                                                         : "posted receives",
                                                    session.job().size() - 1)});
    session.expect_rows(session.options().depths.size());
    for (const int depth : session.options().depths) {
        session.begin_row(fmt::format("depth {}", depth));
        session.row(depth,
                    session.sampler().rounds(
                        Over::root, {5000, 500},
                        [&](LoopCount loop) { return matching(session.job(), depth, mode, loop); }),
                    [](double us) { return us; });
    }
}

}  // namespace tutti::bench
