// What a row says: Tutti beside the better peer, beside the machine, beside its promise.
#pragma once

#include "benchmarks/compare/bounds.hpp"
#include "benchmarks/compare/goals.hpp"

namespace tutti::bench {

struct Judgement {
    std::optional<double> own;          // Tutti's median
    const std::string* peer = nullptr;  // the better one; lives in the row
    std::optional<Ratio> ratio{};       // Tutti's to the peer's
    std::optional<Verdict> verdict{};
    std::optional<Bound> bound{};
    std::optional<double> share{};  // of the bound, that Tutti reaches
    std::optional<Goal> goal{};     // none where nothing can be said of it, as of a ratio without a peer
    bool met = false;
};

Judgement judge(const CaseResult& result, const RowName& name, const std::vector<record::Limit>& limits);

/// How many rows of all cases came out how.
struct Score {
    int faster = 0;
    int same = 0;
    int slower = 0;
    int undecided = 0;     // no peer, or a single run of one
    int beyond_limit = 0;  // which cannot be: something else ran while limits were measured
    int goals = 0;
    int met = 0;

    void count(const Judgement& judgement);
};

}  // namespace tutti::bench
