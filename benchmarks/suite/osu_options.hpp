// Options that OSU's benchmarks have beside the common ones, by their letters.
#pragma once

#include <CLI/CLI.hpp>

#include "benchmarks/suite/options.hpp"

namespace tutti::bench {

/// Adds those that `benchmark` has there, and has `sub` refuse by name those that are offered nowhere here.
void add_osu_options(CLI::App* sub, Options& options, const Benchmark& benchmark);

}  // namespace tutti::bench
