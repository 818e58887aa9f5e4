// The outcome of a case as a table for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "benchmarks/compare/measure.hpp"

namespace tutti::bench {

/// How many rows had a goal, and how many of them met it.
struct Score {
    int goals = 0;
    int met = 0;
};

/// Prints the case's rows: median of each library, the widest spread, the ratio Tutti / better peer, goal and
/// mark. Appends the same, with every run, to `document`.
void report_case(const Case& which, const std::vector<Contender>& contenders, const Rows& rows,
                 nlohmann::json& document, Score& score);

}  // namespace tutti::bench
