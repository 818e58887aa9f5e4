// The options of one-sided benchmarks: -w and -s.
#pragma once

#include "benchmarks/suite/command_line/suite_options.hpp"

namespace CLI {
class App;
}

namespace tutti::bench {

/// Adds -w and -s.
void add_one_sided_options(CLI::App* sub, SuiteOptions& options, const Benchmark& benchmark);

}  // namespace tutti::bench
