// Runs one case for every library, interleaved, and collects the results.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/compare/comparison.hpp"
#include "benchmarks/compare/modes.hpp"

namespace tutti::bench {

struct Thoroughness {
    int rounds = 5;
    double timeout_seconds = 30.0;
    std::vector<std::string> arguments{};  // for every run of the suite: how long to measure, which sizes
};

/// Called before each run with its library and round.
using Watcher = std::function<void(const Contender&, int round)>;

/// A B C A B C ... A run that fails, or takes longer than allowed, is the last one of its library in this
/// case; the rows that it had written count. A peer that is far slower than Tutti runs once. Stops after a
/// run that was interrupted. With `modes`, each run begins in the usual mode of the machine, and one that did
/// not end in it is repeated once; in which mode the last one was is in the result.
CaseResult measure_case(const Case& which, const std::vector<Contender>& contenders, const Hosts& hosts,
                        const Thoroughness& thoroughness, const Watcher& watcher, Modes* modes = nullptr);

}  // namespace tutti::bench
