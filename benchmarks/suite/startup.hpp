// The time to start the job: one figure per process.
#pragma once

#include "benchmarks/suite/library/backend.hpp"
#include "benchmarks/suite/session/session.hpp"

namespace tutti::bench {

/// init, hello: the time of the slowest rank. Joined defines its beginning.
template <Backend B>
void startup(Session<B>& session)
{
    session.open(Start::free);
    session.row({}, session.sampler().once(Over::slowest, session.job().joined().us),
                [](double us) { return us / 1000.0; });
}

}  // namespace tutti::bench
