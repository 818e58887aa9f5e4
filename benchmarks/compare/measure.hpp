// Runs one case for every library, interleaved, and gathers what they say.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "benchmarks/compare/cases.hpp"

namespace tutti::bench {

/// Values of every run, by row (size, depth; 0 where rows have none) and library.
using Rows = std::map<double, std::map<std::string, std::vector<double>>>;

struct Thoroughness {
    int repetitions;
    double timeout_seconds;
    bool quick;
};

/// A B C A B C ... Runs that fail or take too long are reported on stderr and counted in `failures`; their
/// library has no more runs of this case.
Rows measure_case(const Case& which, const std::vector<Contender>& contenders, const Hosts& hosts,
                  const Thoroughness& thoroughness, int& failures);

}  // namespace tutti::bench
