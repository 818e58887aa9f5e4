// How long the job took to begin: one figure a process.
#pragma once

#include "benchmarks/suite/backend.hpp"
#include "benchmarks/suite/session.hpp"

namespace tutti::bench {

/// init, hello: that of the rank which took longest. What it is from is Joined's to say.
template <Backend B>
void startup(Session<B>& session)
{
    session.open(Start::free);
    session.row({}, session.sampler().once(Over::slowest, session.job().joined().us),
                [](double us) { return us / 1000.0; });
}

}  // namespace tutti::bench
