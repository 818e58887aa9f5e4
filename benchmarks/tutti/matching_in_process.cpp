#include "benchmarks/tutti/matching_in_process.hpp"

#include <fmt/format.h>

#include <latch>
#include <memory>

#include "benchmarks/progress/progress.hpp"
#include "benchmarks/suite/messages/matching.hpp"
#include "benchmarks/suite/output/row_report.hpp"
#include "benchmarks/tutti/tutti_backend.hpp"

namespace tutti::bench {

namespace {

// All ranks of the job. Only rank 0's thread touches them while it measures.
using Ranks = std::vector<std::optional<Communicator>>;

constexpr int kUnusedTag = 9;

// us per message: its source sends it, it matches and completes, and its receive is posted again.
double measure(const Ranks& ranks, Envelopes envelopes, const std::string& mode, LoopCount loop)
{
    const Communicator& receiver = *ranks[0];
    const bool unexpected = mode == "unexpected";
    PageBuffer data(kMatchingBytes, 'm');
    std::vector<Request> sends(static_cast<std::size_t>(envelopes.depth));
    const auto ask = [&](int envelope) {
        const Communicator& source = *ranks[static_cast<std::size_t>(envelopes.source(envelope))];
        const Bytes message = data.bytes(kMatchingBytes);
        sends[static_cast<std::size_t>(envelope)] = source.isend(message, 0, envelopes.tag(envelope));
        if (unexpected)
            static_cast<void>(receiver.iprobe(envelopes.source(envelope), kUnusedTag));  // lets it arrive
    };
    // The sender may hold a message back (too many unexpected, a full ring): one thread makes the calls of
    // both sides, so it must not block on either.
    const auto await = [&](Request& receive, int envelope) {
        Request& send = sends[static_cast<std::size_t>(envelope)];
        while (!receive.test())
            static_cast<void>(send.test());
        while (!send.test())
            static_cast<void>(receiver.iprobe(envelopes.source(envelope), kUnusedTag));
    };
    TuttiBackend backend(receiver);
    return unexpected ? match_unexpected(backend, envelopes, loop, ask, await)
                      : match_posted(backend, envelopes, mode == "wildcard", loop, ask, await);
}

void drive(const Ranks& ranks, const SuiteOptions& options)
{
    JobPlacement placement;
    placement.cpus.assign(ranks.size(), "any");
    RowReport report(options, *options.entry,
                     {.title = "Matching Test, all ranks driven by one thread",
                      .library = TuttiBackend::library(),
                      .placement = std::move(placement),
                      .start = to_string(Start::free)});
    const LoopCount loop = options.loop_count({20000, 2000});
    ProgressLine progress(static_cast<int>(options.depths.size()));
    for (const int depth : options.depths) {
        progress.next(fmt::format("matching, depth {}", depth));
        constexpr int kRounds = 5;
        Series series(Over::root, 1);
        for (int round = 0; round < kRounds; ++round) {
            const double us = measure(ranks, {depth, options.sources}, options.mode, loop);
            series.add(std::span(&us, 1), 1);
        }
        progress.erase();
        report.row(row_of(depth, series, [](double us) { return us; }));
    }
    report.finish();
}

}  // namespace

// Threads exist only because each rank is made on one. They sleep until rank 0's thread has measured.
int run_matching_in_process(const SuiteOptions& options)
{
    Ranks ranks(static_cast<std::size_t>(options.sources) + 1);
    std::latch joined(options.sources + 1);
    std::latch measured(1);
    const auto body = [&](Environment& environment) {
        const int rank = environment.world().rank();
        ranks[static_cast<std::size_t>(rank)] = environment.world();
        joined.arrive_and_wait();
        if (rank == 0) {
            const struct Release {  // also when a measurement throws
                std::latch& latch;
                ~Release() { latch.count_down(); }
            } release{measured};
            drive(ranks, options);
        } else {
            measured.wait();  // asleep: rank 0's thread makes this rank's calls
        }
        ranks[static_cast<std::size_t>(rank)].reset();
    };
    run_threads(options.sources + 1, body, {.threads = ThreadLevel::multiple});
    return 0;
}

}  // namespace tutti::bench
