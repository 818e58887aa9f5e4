// The results of a comparison: cases of rows, each with every library's runs, the best peer and the
// machine's limit.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/compare/ratio.hpp"
#include "benchmarks/peers/contender.hpp"
#include "benchmarks/record/result_record.hpp"
#include "benchmarks/record/row_name.hpp"

namespace tutti::bench {

using record::RowName;

/// One benchmark at one number of ranks, for every library.
struct Case {
    std::string benchmark;
    std::string group;
    std::vector<std::string> arguments{};  // of the suite; none: a launch of an empty program
    int ranks = 2;
    int hosts = 1;
    Binding binding = Binding::core;
    std::string memory{};  // of all buffers: "malloc", "library"; empty: it has none to choose
    bool touched = false;
    std::string folder{};  // in which its runs make files; empty: they make none
    int rows = 1;  // estimate, for the remaining time

    std::string name() const { return benchmark + ", " + std::to_string(ranks) + " ranks"; }
};

/// Why a library has no figures, or fewer than other libraries.
struct Failure {
    std::string library;
    std::string message;
    bool excused = false;  // a peer took too long or lacks the operation: the comparison has not failed
    bool timed_out = false;
};

/// One library's runs of one row.
struct Measured {
    Rounds rounds;
    Interval of_one_run;           // the first run's own interval, used if there is one run only
    int runs_after_barriers = 0;   // that were to begin their iterations at agreed times, and could not
    double fewest_iterations = 0;  // of all runs; 0: they do not tell

    /// Of fewer iterations than six no 95 % interval of the median can be told, as it is beyond all of them
    /// in two of 2^n cases.
    bool has_few_iterations() const noexcept { return fewest_iterations > 0 && fewest_iterations < 6; }
    double median() const;
    /// The median's interval over the runs.
    Interval interval() const;
};

struct CaseRow {
    std::map<std::string, Measured> libraries;

    /// The best of all peers, with any settings; nullptr if none ran.
    const std::string* better_peer(Better better) const;
};

struct CaseResult {
    Case which;
    std::optional<record::Quantity> quantity;  // empty if no library ran
    std::map<std::string, std::string> library_names{};
    std::vector<RowName> order{};  // as the first library told them
    std::map<RowName, CaseRow> rows{};
    std::vector<Failure> failures{};
    double others_share = 0.0;  // of the cores' time, while it was measured
    /// A cache line's trip between two cores, in ns, at each run of a library, where it was watched.
    std::map<std::string, Rounds> trips_ns{};

    /// Takes over one run's rows as this library's of `round`, in place of those of an earlier run of it.
    void add(const std::string& library, int round, const record::Run& run);
    Better better() const;
};

}  // namespace tutti::bench
