// Judges a row: Tutti against the best peer, the machine's limit and the goal.
#pragma once

#include "benchmarks/compare/bounds.hpp"
#include "benchmarks/compare/goals.hpp"

namespace tutti::bench {

struct Judgement {
    std::optional<double> own;          // Tutti's median
    const std::string* peer = nullptr;  // the best one; lives in the row
    std::optional<Ratio> ratio{};       // Tutti's to the peer's
    std::optional<Verdict> verdict{};
    std::optional<Bound> bound{};
    std::optional<double> share{};  // of the bound
    std::optional<Goal> goal{};     // empty if it does not apply, as for a ratio without a peer
    bool met = false;
};

/// `own`: "tutti", or kAllocated, which is held against the same peer.
Judgement judge(const CaseResult& result, const RowName& name, const std::vector<record::Limit>& limits,
                std::string_view own = "tutti");

/// Tutti with ordinary buffers, and beside it that of tutti::allocate where it ran.
std::vector<std::string_view> own_columns(const CaseResult& result);

/// The number of rows with each result, over all cases.
struct Score {
    int faster = 0;
    int same = 0;
    int slower = 0;
    int undecided = 0;     // no peer, a single run of one, or too wide an interval
    int beyond_limit = 0;  // impossible: another program ran while limits were measured
    int goals = 0;
    int met = 0;

    void count(const Judgement& judgement);
};

}  // namespace tutti::bench
