// The matching benchmark without a launcher: the source ranks live in this process.
#pragma once

#include "benchmarks/suite/command_line/suite_options.hpp"

namespace tutti::bench {

/// Runs the matching benchmark between rank 0 and `options.sources` other ranks of a job of threads, and
/// returns the exit status. One thread makes the calls of all ranks: no context switch and no cache line
/// between cores is part of the figure, only send, match, complete and post.
int run_matching_in_process(const SuiteOptions& options);

}  // namespace tutti::bench
