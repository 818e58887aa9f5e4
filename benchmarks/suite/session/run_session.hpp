// From a parsed command line to an exit status, for any library.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "benchmarks/suite/library/described_call.hpp"
#include "benchmarks/suite/session/session.hpp"

namespace tutti::bench {

/// One run for each element type.
inline std::vector<SuiteOptions> runs_of(const SuiteOptions& options)
{
    if (options.types_in_turn.size() < 2)
        return {options};
    std::vector<SuiteOptions> runs;
    for (const DataType type : options.types_in_turn) {
        runs.push_back(options);
        runs.back().type = type;
    }
    return runs;
}

/// Makes a session, or one for each type of elements, and runs `loops(session)` on all ranks. The exit status
/// of this rank: 0, 1 when validation failed, 2 when the job does not suit the benchmark, 3 when the library
/// does not offer what the benchmark calls. Throws std::runtime_error when a file cannot be written.
template <Job B, class Loops>
int run_session(B& job, const SuiteOptions& options, Loops loops)
{
    const auto leave = [&job](int status, const std::string& reason) {
        if (job.rank() == 0)
            fmt::print(stderr, "tutti-bench: {}\n", reason);
        job.barrier();  // a rank that leaves with an error may end the job: first the error must be printed
        return status;
    };
    try {
        bool right = true;
        for (const SuiteOptions& one : runs_of(options)) {
            Session<B> session(job, one);
            loops(session);
            right = session.finish() && right;
        }
        return right ? 0 : 1;
    } catch (const UnsuitableJob& error) {
        return leave(2, error.what());
    } catch (const NotOffered& error) {
        return leave(3,
                     fmt::format("{}: not offered by {}: {}", options.benchmark, B::library(), error.what()));
    }
}

}  // namespace tutti::bench
