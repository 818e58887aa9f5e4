// tutti-bench tune: times every algorithm of each collective in this job, and writes the rules that follow
// from several such jobs.
#pragma once

#include "benchmarks/suite/command_line/suite_options.hpp"
#include "tutti/tutti.hpp"

namespace tutti::bench {

/// Collective over `ranks`. The exit status of this rank: 0, 2 when the job, or the file of earlier
/// starts, does not suit. Throws
/// std::runtime_error at rank 0 when the file cannot be written.
int run_tune(const Communicator& ranks, const SuiteOptions& options);

}  // namespace tutti::bench
