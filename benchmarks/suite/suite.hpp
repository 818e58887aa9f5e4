// From a parsed command line to rows: selects the loop to run.
#pragma once

#include "benchmarks/suite/collectives/collective_loops.hpp"
#include "benchmarks/suite/collectives/overlap.hpp"
#include "benchmarks/suite/collectives/reduction_kernels.hpp"
#include "benchmarks/suite/files/file_accesses.hpp"
#include "benchmarks/suite/files/file_calls.hpp"
#include "benchmarks/suite/files/shared_pointer.hpp"
#include "benchmarks/suite/keyed/table_rows.hpp"
#include "benchmarks/suite/keyed/word_count.hpp"
#include "benchmarks/suite/library/backend.hpp"
#include "benchmarks/suite/messages/fan_in_and_out.hpp"
#include "benchmarks/suite/messages/idle.hpp"
#include "benchmarks/suite/messages/matching.hpp"
#include "benchmarks/suite/messages/multi_pair.hpp"
#include "benchmarks/suite/messages/persistent_messages.hpp"
#include "benchmarks/suite/messages/point_to_point.hpp"
#include "benchmarks/suite/messages/threads.hpp"
#include "benchmarks/suite/messages/token_ring.hpp"
#include "benchmarks/suite/session/run_session.hpp"
#include "benchmarks/suite/startup.hpp"
#include "benchmarks/suite/windows/counter.hpp"
#include "benchmarks/suite/windows/one_sided.hpp"
#include "benchmarks/suite/windows/window_patterns.hpp"

namespace tutti::bench {

/// Runs the chosen benchmark on all ranks.
template <Backend B>
void run_loops(Session<B>& session, Group group)
{
    switch (group) {
        case Group::point_to_point:
            return point_to_point(session);
        case Group::persistent_messages:
            return persistent_messages(session);
        case Group::multi_pair:
            return multi_pair(session);
        case Group::threads:
            return threaded_latency(session);
        case Group::congestion:
            return congestion(session);
        case Group::startup:
            return startup(session);
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
        case Group::one_sided:
        case Group::atomics:
            return one_sided(session);
        case Group::counter:
            return shared_counter(session);
        case Group::window_pattern:
            return window_patterns(session);
        case Group::passive_put:
            return passive_put(session);
        case Group::table:
            return table_rows(session);
        case Group::sparse_table:
            return sparse_table_rows(session);
        case Group::map_reduce:
            return word_count(session);
        case Group::file_call:
            return file_calls(session);
        case Group::file_access:
            return file_accesses(session);
        case Group::shared_pointer:
            return shared_pointer_writes(session);
    }
}

/// As run_session(), with the loops of the chosen benchmark.
template <Backend B>
int run_suite(B& job, const SuiteOptions& options)
{
    return run_session(job, options, [&](Session<B>& session) { run_loops(session, options.entry->group); });
}

}  // namespace tutti::bench
