// A comparison from its first run to its last words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/compare/comparison_plan.hpp"
#include "benchmarks/compare/measure.hpp"

namespace tutti::bench {

struct CompareOptions {
    std::vector<std::string> command;
    ComparisonChoice choice;
    std::optional<std::vector<PeerName>> peers;
    Thoroughness thoroughness;
    bool goals = false;
    std::string json_file;
};

/// Plans, measures and reports, case by case. The exit status, as run_compare() gives it. Throws PlanError
/// before anything has been measured, std::runtime_error when no file can be written or a library's programs
/// are missing.
int compare(CompareOptions options);

}  // namespace tutti::bench
