// Which benchmarks a comparison runs, on how many ranks, with which arguments, and for how long.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/compare/comparison.hpp"

namespace tutti::bench {

/// The command line asks for something impossible.
struct PlanError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct ComparisonChoice {
    std::vector<std::string> benchmarks{};  // none: all of the catalogue, and launches
    std::vector<int> ranks{};               // none: 2 and 8; over hosts one and two on each
    Hosts hosts{};
    std::string sizes{};                  // MIN:MAX
    std::optional<std::size_t> growth{};  // none: 8, or what the benchmark has where that is more
    double seconds = 0.1;                 // the time box of a row
    double precision = 1.0;               // %
    std::optional<int> iterations{};
    std::optional<int> warmup{};
    std::string memory = "both";  // Tutti's: "malloc", "library"; "library" is also the peers'
    bool touch = false;
    std::string folder{};               // of files; empty: $TMPDIR, or /tmp
    std::vector<std::string> passed{};  // to every run, as they are
    bool quick = false;                 // a few iterations of three sizes
};

/// Cases in the order in which they run. A benchmark that suits none of the numbers of ranks is left out,
/// unless it was named. Throws PlanError: no such benchmark, no suitable number of ranks, an option that a
/// benchmark refuses.
std::vector<Case> plan_cases(const ComparisonChoice& choice);

/// Estimated seconds if all libraries start and measure as fast as Tutti. Slow ones take longer.
double estimate_seconds(const std::vector<Case>& cases, const std::vector<Contender>& contenders, int rounds,
                        double seconds_a_row);

}  // namespace tutti::bench
