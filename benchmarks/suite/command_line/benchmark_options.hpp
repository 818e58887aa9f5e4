// The options of a benchmark.
#pragma once

#include <CLI/CLI.hpp>

#include "benchmarks/suite/command_line/suite_options.hpp"

namespace tutti::bench {

/// Adds the benchmark as a word of the command line, with its options, which are read into `options`. Both
/// live as long as `app`.
void add_benchmark(CLI::App& app, SuiteOptions& options, const Benchmark& benchmark, bool own_library);

}  // namespace tutti::bench
