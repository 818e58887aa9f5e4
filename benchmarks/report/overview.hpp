// Compares Tutti with its peers over all rows of all comparisons.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "benchmarks/plot/topic.hpp"
#include "benchmarks/report/report_table.hpp"

namespace tutti::bench {

struct Tally {
    int faster = 0;
    int same = 0;
    int slower = 0;
    int undecided = 0;  // too few runs, or too different ones, for a verdict
    int alone = 0;      // rows that no peer has

    double log_costs = 0.0;  // of rows with a ratio, whose number is
    int ratios = 0;

    int compared() const { return faster + same + slower; }
    /// How many times as fast as the best peer Tutti is: the geometric mean.
    std::optional<double> advantage() const;
};

/// A row, and how it stands: 0.5 takes half the time, or moves twice as much, as the best peer (of_costs()).
struct Standing {
    const Topic* topic = nullptr;
    const record::CaseRow* row = nullptr;
    double cost = 0.0;
};

struct Overview {
    Tally tally;
    Tally allocated;  // with buffers of tutti::allocate
    std::vector<std::pair<const Topic*, Tally>> cases;
    std::vector<Standing> worst;  // first the worst; rows that are slower come before others
};

/// Refers to the topics. Of runs alone: all zero.
Overview overview_of(const std::vector<Topic>& topics);

/// How many of the worst a report lists.
constexpr std::size_t kWorstRows = 12;

/// "12 of 15 rows are faster than the best peer, 2 the same, 1 slower."
std::string sentence(const Tally& tally);
/// The same of both kinds of memory, where both were compared.
std::string summary_of(const Overview& overview);

}  // namespace tutti::bench
