#include "benchmarks/compare/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "benchmarks/suite/statistics.hpp"

namespace tutti::bench {

namespace {

constexpr int kNameWidth = 20;
constexpr int kKeyWidth = 9;
constexpr int kValueWidth = 15;

// Enough digits to tell 0.09 from 0.10, no decimals behind a large number.
std::string number(double value)
{
    if (value < 100)
        return fmt::format("{:.3f}", value);
    return value < 10000 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

// What one line of the table says.
struct Row {
    std::map<std::string, double> medians;
    double widest_spread = 0.0;
    std::string better_peer;  // empty when no peer ran
    std::optional<double> ratio;
};

Row evaluate(const Case& which, const std::map<std::string, std::vector<double>>& values)
{
    Row row;
    for (const auto& [library, runs] : values) {
        row.medians[library] = median(runs);
        row.widest_spread = std::max(row.widest_spread, relative_spread(runs));
        if (library == "tutti")
            continue;
        const bool first = row.better_peer.empty();
        const bool better =
            !first && (which.better == Better::lower ? row.medians[library] < row.medians[row.better_peer]
                                                     : row.medians[library] > row.medians[row.better_peer]);
        if (first || better)
            row.better_peer = library;
    }
    if (!row.better_peer.empty() && row.medians.contains("tutti") && row.medians[row.better_peer] > 0)
        row.ratio = row.medians["tutti"] / row.medians[row.better_peer];
    return row;
}

// The goal as people read it.
std::string words(const Case& which, const Goal& goal)
{
    if (goal.absolute)
        return fmt::format("<= {} {}", goal.bound, which.unit);
    return fmt::format("{} {:.2f}", which.better == Better::lower ? "<=" : ">=", goal.bound);
}

void print_header(const Case& which, const std::vector<Contender>& contenders)
{
    fmt::print("\n# {}, {} ranks{}\n", which.name, which.ranks,
               which.binding == Binding::core ? ", bound to cores" : "");
    fmt::print("# {:<{}}{:>{}}", "Benchmark", kNameWidth - 2, "Size", kKeyWidth);
    for (const Contender& contender : contenders)
        fmt::print("{:>{}}", fmt::format("{} ({})", contender.title, which.unit), kValueWidth + 2);
    fmt::print("{:>9}{:>9}  {}\n", "Spread", "Ratio", "Goal");
}

}  // namespace

void report_case(const Case& which, const std::vector<Contender>& contenders, const Rows& rows,
                 nlohmann::json& document, Score& score)
{
    nlohmann::json entry = {{"name", which.name},
                            {"arguments", which.arguments},
                            {"ranks", which.ranks},
                            {"unit", which.unit},
                            {"rows", nlohmann::json::array()}};
    print_header(which, contenders);
    for (const auto& [key, values] : rows) {
        const Row row = evaluate(which, values);
        nlohmann::json line = {
            {"key", key}, {"spread", row.widest_spread}, {"median", row.medians}, {"runs", values}};
        fmt::print("{:<{}}{:>{}}", which.name, kNameWidth, key == 0 ? "-" : fmt::format("{}", key),
                   kKeyWidth);
        for (const Contender& contender : contenders) {
            const auto found = row.medians.find(contender.name);
            fmt::print("{:>{}}", found == row.medians.end() ? "-" : number(found->second), kValueWidth + 2);
        }
        fmt::print("{:>7.0f} %{:>9}", 100 * row.widest_spread,
                   row.ratio ? fmt::format("{:.2f}", *row.ratio) : "-");
        if (row.ratio) {
            line["ratio"] = *row.ratio;
            line["better_peer"] = row.better_peer;
        }
        const std::optional<Goal> goal = goal_of(which, key);
        if (goal && row.medians.contains("tutti")) {
            const bool met = meets(which, *goal, row.medians.at("tutti"), row.ratio);
            ++score.goals;
            score.met += met ? 1 : 0;
            line["goal"] = words(which, *goal);
            line["met"] = met;
            fmt::print("  {:<9} {}", words(which, *goal), met ? "met" : "MISSED");
        }
        fmt::print("\n");
        entry["rows"].push_back(std::move(line));
    }
    std::fflush(stdout);
    document["cases"].push_back(std::move(entry));
}

}  // namespace tutti::bench
