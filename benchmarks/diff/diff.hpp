// tutti-bench diff: finds rows that got slower between two files of results. For continuous integration.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/diff/changes.hpp"

namespace tutti::bench {

/// "5%" or "5": 0.05. Throws std::invalid_argument.
double parse_threshold(const std::string& text);

/// A line for each row that changed, is undecided or that only one side has, and one that counts them all.
std::string diff_text(const std::vector<RowChange>& rows, double threshold);

/// argv[0] is "tutti-bench diff". Exit status: 0; 1 when a row got slower or wrong, or is gone and that was
/// not allowed; 2 when no row has starts enough, the files cannot be compared or the command line is
/// mistaken.
int run_diff(int argc, const char* const* argv);

}  // namespace tutti::bench
