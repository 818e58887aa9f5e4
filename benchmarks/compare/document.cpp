#include "benchmarks/compare/document.hpp"

#include <nlohmann/json.hpp>

#include "benchmarks/compare/judgement.hpp"
#include "benchmarks/environment/measured_machine.hpp"

namespace tutti::bench {

namespace {

using nlohmann::json;

template <class T>
json or_null(const std::optional<T>& value)
{
    return value ? json(*value) : json(nullptr);
}

// The ratio to the best peer, and what follows from it.
json judgement_document(const Judgement& judgement, const record::Quantity& quantity)
{
    const Interval* interval =
        judgement.ratio && judgement.ratio->interval ? &*judgement.ratio->interval : nullptr;
    json found = {{"ratio", judgement.ratio ? json(judgement.ratio->value) : json(nullptr)},
                  {"ratio_low", interval != nullptr ? json(interval->low) : json(nullptr)},
                  {"ratio_high", interval != nullptr ? json(interval->high) : json(nullptr)},
                  {"verdict", judgement.verdict ? json(to_string(*judgement.verdict)) : json(nullptr)},
                  {"share", or_null(judgement.share)}};
    if (judgement.goal) {
        found["goal"] = words(*judgement.goal, quantity);
        found["met"] = judgement.met;
    }
    return found;
}

json row_document(const CaseResult& result, const RowName& name, const std::vector<record::Limit>& limits)
{
    const Judgement judgement = judge(result, name, limits);
    json row = {{"key", or_null(name.key)}, {"labels", name.labels}, {"libraries", json::object()}};
    for (const auto& [library, measured] : result.rows.at(name).libraries) {
        json runs = json::array(), trips = json::array();
        const auto watched = result.trips_ns.find(library);
        for (const auto& [round, value] : measured.rounds) {
            runs.push_back(value);
            if (watched != result.trips_ns.end() && watched->second.contains(round))
                trips.push_back(watched->second.at(round));
        }
        const Interval interval = measured.interval();
        row["libraries"][library] = {{"median", measured.median()},
                                     {"low", interval.low},
                                     {"high", interval.high},
                                     {"runs", std::move(runs)}};
        if (!trips.empty())
            row["libraries"][library]["trips_ns"] = std::move(trips);
    }
    row.update(judgement_document(judgement, *result.quantity));
    if (own_columns(result).size() > 1)
        row["allocated"] = judgement_document(judge(result, name, limits, kAllocated), *result.quantity);
    row["better_peer"] = judgement.peer != nullptr ? json(*judgement.peer) : json(nullptr);
    row["limit"] = judgement.bound ? json(judgement.bound->value) : json(nullptr);
    row["limit_name"] = judgement.bound ? json(judgement.bound->name) : json(nullptr);
    return row;
}

}  // namespace

json comparison_document(const std::vector<std::string>& command, int rounds,
                         const std::vector<record::Limit>& limits)
{
    json yardsticks = json::array();
    for (const record::Limit& limit : limits)
        yardsticks.push_back({{"name", limit.name},
                              {"unit", limit.unit},
                              {"key", or_null(limit.key)},
                              {"value", limit.value}});
    return {{"format", "tutti-bench-comparison"},
            {"version", 1},
            {"command", command},
            {"environment", environment()},
            {"repetitions", rounds},
            {"limits", std::move(yardsticks)},
            {"cases", json::array()}};
}

json case_document(const CaseResult& result, const std::vector<std::string>& libraries,
                   const std::vector<record::Limit>& limits)
{
    // Without figures, only the benchmark's name is known.
    record::Quantity quantity;
    quantity.title = result.which.benchmark;
    if (result.quantity)
        quantity = *result.quantity;
    json failures = json::array();
    for (const Failure& failure : result.failures)
        failures.push_back(
            {{"library", failure.library}, {"message", failure.message}, {"excused", failure.excused}});
    json rows = json::array();
    for (const RowName& name : result.order)
        rows.push_back(row_document(result, name, limits));
    return {{"benchmark", result.which.benchmark},
            {"title", quantity.title},
            {"group", result.which.group},
            {"memory", result.which.memory},
            {"touched", result.which.touched},
            {"others_share", result.others_share},
            {"ranks", result.which.ranks},
            {"hosts", result.which.hosts},
            {"binding", result.which.binding == Binding::core ? "core" : "none"},
            {"key", quantity.key},
            {"value", quantity.value},
            {"unit", quantity.unit},
            {"better", to_string(result.better())},
            {"labels", quantity.labels},
            {"libraries", libraries},
            {"library_names", result.library_names},
            {"failures", std::move(failures)},
            {"rows", std::move(rows)}};
}

}  // namespace tutti::bench
