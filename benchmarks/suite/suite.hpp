// From a parsed command line to rows: which loop runs.
#pragma once

#include "benchmarks/suite/backend.hpp"
#include "benchmarks/suite/collectives.hpp"
#include "benchmarks/suite/idle.hpp"
#include "benchmarks/suite/matching.hpp"
#include "benchmarks/suite/overlap.hpp"
#include "benchmarks/suite/point_to_point.hpp"
#include "benchmarks/suite/reduce_op.hpp"
#include "benchmarks/suite/ring.hpp"

namespace tutti::bench {

/// Runs the chosen benchmark on all ranks.
template <Backend B>
void run_loops(Session<B>& session, Group group)
{
    switch (group) {
        case Group::point_to_point:
            return point_to_point(session);
        case Group::ring:
            return token_ring(session);
        case Group::collective:
            return collectives(session);
        case Group::overlap:
            return overlaps(session);
        case Group::persistent:
            return persistent_collectives(session);
        case Group::matching:
            return matching_depths(session);
        case Group::idle:
            return idle_wait(session);
        case Group::reduction:
            return reduction_kernels(session);
    }
}

/// The exit status of this rank: 0, 1 when validation failed, 2 when the job does not suit the benchmark, 3
/// when the library does not offer what the benchmark calls.
/// Throws std::runtime_error when a file cannot be written.
template <Backend B>
int run_suite(B& job, const Options& options)
{
    const auto leave = [&job](int status, const std::string& reason) {
        if (job.rank() == 0)
            fmt::print(stderr, "tutti-bench: {}\n", reason);
        job.barrier();  // a rank that leaves with an error may end the job: not before it has been said
        return status;
    };
    try {
        Session<B> session(job, options);
        run_loops(session, options.entry->group);
        return session.finish() ? 0 : 1;
    } catch (const UnsuitableJob& error) {
        return leave(2, error.what());
    } catch (const NotOffered& error) {
        return leave(3,
                     fmt::format("{}: not offered by {}: {}", options.benchmark, B::library(), error.what()));
    }
}

}  // namespace tutti::bench
