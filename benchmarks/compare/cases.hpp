// What is compared, and which ratios Tutti promises.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/peers/contender.hpp"

namespace tutti::bench {

enum class Better { lower, higher };

/// A promise for the rows from `min_key` to `max_key` (sizes, depths; 0 where rows have none).
struct Goal {
    double min_key;
    double max_key;
    double bound;
    bool absolute = false;  // the bound is for Tutti's value itself, not for the ratio to the better peer
};

struct Case {
    std::string name;
    std::vector<std::string> arguments{};  // of the suite; empty: the case is a launch of an empty program
    std::vector<std::string> quick{};      // instead, to see only whether it runs
    int ranks = 2;
    Binding binding = Binding::core;
    Better better = Better::lower;
    std::string unit = "us";
    std::vector<Goal> goals{};
    bool with_mpich = true;  // MPICH collapses with more ranks than cores: minutes instead of seconds
    bool once = false;       // long and steady: one run is enough
    bool by_default = true;
    bool over_hosts = false;  // on hosts that are named: `ranks` is the number on each
};

/// All cases, in the order in which they run.
const std::vector<Case>& all_cases();

/// The goal for a row of the case, if there is one.
std::optional<Goal> goal_of(const Case& which, double key);

/// Whether the promise is kept. `ratio` is Tutti's value to the better peer's (empty without peers).
bool meets(const Case& which, const Goal& goal, double value, std::optional<double> ratio);

}  // namespace tutti::bench
