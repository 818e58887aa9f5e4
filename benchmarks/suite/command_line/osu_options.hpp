// Options that some of OSU's benchmarks have besides the common ones, by their letters.
#pragma once

#include <CLI/CLI.hpp>

#include "benchmarks/suite/command_line/suite_options.hpp"

namespace tutti::bench {

/// Adds the options that `benchmark` has there. `sub` refuses by name the OSU options that this suite lacks.
void add_osu_options(CLI::App* sub, SuiteOptions& options, const Benchmark& benchmark);

}  // namespace tutti::bench
