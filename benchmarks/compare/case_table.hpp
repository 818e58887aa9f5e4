// The outcome of a case as a table for people.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/compare/judgement.hpp"
#include "benchmarks/compare/modes.hpp"

namespace tutti::bench {

/// A row a size: each library's median; the ratio to the best peer with its interval, the verdict, the share
/// of the limit, and with `goals` the promise, for either kind of Tutti's memory. A dash where a library has
/// no figure; below the table, why, and what else the figures are to be read with.
std::string case_table(const CaseResult& result, const std::vector<Contender>& contenders,
                       const std::vector<record::Limit>& limits, bool goals);

/// Which runs were taken in another mode of the machine than the usual one, a line for people; empty if none.
std::string modes_text(const CaseResult& result, const Modes& modes);

/// The rows that are slower than the best peer's, worst first, one per line; empty if there are none.
std::string slower_rows(const std::vector<CaseResult>& results, const std::vector<record::Limit>& limits);

/// Those that miss other goals than not to be slower, likewise.
std::string missed_goals(const std::vector<CaseResult>& results, const std::vector<record::Limit>& limits);

/// Where Tutti's bandwidth between two ranks falls by more than kMostFall from one size to the next, one per
/// line.
std::string cliffs(const std::vector<CaseResult>& results);

/// The median ratio of the rows that count for it; nothing where there are none.
std::optional<double> median_of_collectives(const std::vector<CaseResult>& results,
                                            const std::vector<record::Limit>& limits);

}  // namespace tutti::bench
