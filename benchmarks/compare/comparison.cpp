#include "benchmarks/compare/comparison.hpp"

#include <algorithm>

namespace tutti::bench {

namespace {

std::vector<double> values_of(const Rounds& rounds)
{
    std::vector<double> values;
    for (const auto& [round, value] : rounds)
        values.push_back(value);
    return values;
}

}  // namespace

double Measured::median() const
{
    return bench::median(values_of(rounds));
}

Interval Measured::interval() const
{
    return rounds.size() == 1 ? of_one_run : median_interval(values_of(rounds));
}

const std::string* CaseRow::better_peer(Better better) const
{
    const std::string* best = nullptr;
    for (const auto& [library, measured] : libraries) {
        if (library == "tutti" || library == kAllocated)
            continue;
        const double value = measured.median();
        if (best == nullptr || (better == Better::lower ? value < libraries.at(*best).median()
                                                        : value > libraries.at(*best).median()))
            best = &library;
    }
    return best;
}

void CaseResult::add(const std::string& library, int round, const record::Run& run)
{
    if (!quantity)
        quantity = run.quantity;
    library_names.try_emplace(library, run.library);
    for (const record::RunRow& row : run.rows) {
        const RowName name{row.key, row.labels};
        if (!rows.contains(name))
            order.push_back(name);
        Measured& measured = rows[name].libraries[library];
        const bool repeated = measured.rounds.contains(round);
        if (measured.rounds.size() == (repeated ? 1u : 0u))
            measured.of_one_run = {row.interval.low, row.interval.high, 0.95};
        measured.rounds[round] = row.median;
        if (const double counted = row.iterations.value_or(0); counted > 0)
            measured.fewest_iterations =
                measured.fewest_iterations > 0 ? std::min(measured.fewest_iterations, counted) : counted;
        measured.runs_after_barriers += row.gave_up_clock && !repeated ? 1 : 0;
    }
}

Better CaseResult::better() const
{
    return !quantity || quantity->lower_is_better ? Better::lower : Better::higher;
}

}  // namespace tutti::bench
