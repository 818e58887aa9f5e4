#include "benchmarks/compare/case_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/suite/command_line/size_range.hpp"

namespace tutti::bench {

namespace {

constexpr int kKeyWidth = 10;
constexpr int kLabelWidth = 10;
constexpr int kValueWidth = 12;
constexpr int kRatioWidth = 8;
constexpr int kIntervalWidth = 17;
constexpr int kVerdictWidth = 11;
constexpr int kShareWidth = 9;
constexpr int kGoalWidth = 17;

// Enough digits to distinguish 0.09 from 0.10; no decimals after a large number.
std::string number(double value)
{
    if (value < 100)
        return fmt::format("{:.3f}", value);
    return value < 10000 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

std::string key_in_words(const CaseResult& result, const RowName& name)
{
    if (!name.key)
        return "-";
    return result.quantity->key == "Size" ? short_size(*name.key) : fmt::format("{}", *name.key);
}

// Two decimals, or two digits; of what no decimals can tell, that it is far away.
std::string ratio_text(double ratio)
{
    if (ratio < 0.001)
        return "<0.001";
    if (ratio > 1000)
        return ">1000";
    return ratio < 0.1 ? fmt::format("{:.2g}", ratio) : fmt::format("{:.2f}", ratio);
}

std::string interval_text(const std::optional<Interval>& interval)
{
    return interval ? fmt::format("{} - {}", ratio_text(interval->low), ratio_text(interval->high)) : "-";
}

std::string circumstances_of(const CaseResult& result)
{
    const Case& which = result.which;
    std::string text =
        fmt::format("Other programs had {:.0f} % of the cores meanwhile", 100 * result.others_share);
    if (!which.memory.empty())
        text += fmt::format("; buffers of {}, {}",
                            which.memory == "malloc" ? "malloc" : "each library's allocator",
                            which.touched ? "written before each iteration and read after it"
                                          : "which nobody touches between iterations");
    return text;
}

// Where a library began otherwise than others, their figures are of two loops.
std::string other_beginnings(const CaseResult& result)
{
    std::vector<std::string> found;
    for (const RowName& name : result.order) {
        for (const auto& [library, measured] : result.rows.at(name).libraries) {
            if (measured.runs_after_barriers > 0)
                found.push_back(fmt::format("{} {} ({} of {} runs)", library, key_in_words(result, name),
                                            measured.runs_after_barriers, measured.rounds.size()));
        }
    }
    return found.empty() ? ""
                         : fmt::format("# Began after barriers, others at agreed times; measure again: {}\n",
                                       fmt::join(found, ", "));
}

bool has_few_iterations(const CaseRow& row)
{
    return std::ranges::any_of(row.libraries,
                               [](const auto& one) { return one.second.has_few_iterations(); });
}

// Which rows have the mark, and why.
std::string few_iterations(const CaseResult& result)
{
    std::vector<std::string> found;
    for (const RowName& name : result.order)
        for (const auto& [library, measured] : result.rows.at(name).libraries)
            if (measured.has_few_iterations())
                found.push_back(fmt::format("{} {} ({})", library, key_in_words(result, name),
                                            measured.fewest_iterations));
    return found.empty() ? ""
                         : fmt::format(
                               "# *: so few iterations were counted that a run says little; give more "
                               "--seconds: {}\n",
                               fmt::join(found, ", "));
}

// The first line of a message with several lines.
std::string first_line(const std::string& text)
{
    return text.substr(0, text.find('\n'));
}

int width_of(const Contender& contender)
{
    return std::max(kValueWidth, static_cast<int>(contender.title.size()) + 2);
}

std::string header(const CaseResult& result, const std::vector<Contender>& contenders, bool goals)
{
    const record::Quantity& quantity = *result.quantity;
    std::string text = fmt::format("\n# {}: {}, {} ({}, {} is better){}\n", result.which.name(),
                                   quantity.title, quantity.value, quantity.unit, to_string(result.better()),
                                   result.which.binding == Binding::core ? ", bound to cores" : "");
    text += fmt::format("# {:<{}}", quantity.key.empty() ? "-" : quantity.key, kKeyWidth - 2);
    for (const std::string& label : quantity.labels)
        text += fmt::format("{:<{}}", label, kLabelWidth);
    for (const Contender& contender : contenders)
        text += fmt::format("{:>{}}", contender.title, width_of(contender));
    for (const std::string_view own : own_columns(result)) {
        const char* const short_name = own == kAllocated ? "Allocate" : "Ratio";
        text += fmt::format("{:>{}}{:>{}}{:>{}}{:>{}}", short_name, kRatioWidth + 1, "95 %", kIntervalWidth,
                            "Verdict", kVerdictWidth, "Limit", kShareWidth);
        if (goals)
            text += fmt::format("  {:<{}}", "Goal", kGoalWidth);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

std::optional<Ratio> cost_ratio(const Judgement& judgement, bool lower_is_better)
{
    const Better better = lower_is_better ? Better::lower : Better::higher;
    return judgement.ratio ? std::optional(of_costs(*judgement.ratio, better)) : std::nullopt;
}

std::string judgement_text(const Judgement& judgement, const record::Quantity& quantity, bool goals)
{
    const std::optional<Ratio> ratio = cost_ratio(judgement, quantity.lower_is_better);
    std::string text = fmt::format(
        "{:>{}}{:>{}}{:>{}}{:>{}}", ratio ? ratio_text(ratio->value) : "-", kRatioWidth + 1,
        interval_text(ratio ? ratio->interval : std::nullopt), kIntervalWidth,
        judgement.verdict ? to_string(*judgement.verdict)
        : ratio           ? "undecided"
                          : "-",
        kVerdictWidth, judgement.share ? fmt::format("{:.0f} %", 100 * *judgement.share) : "-", kShareWidth);
    if (!goals)
        return text;
    const std::string goal = judgement.goal ? fmt::format("{:<11}{}", words(*judgement.goal, quantity),
                                                          judgement.met ? "met" : "MISSED")
                                            : "";
    return text + fmt::format("  {:<{}}", goal, kGoalWidth);
}

std::string line(const CaseResult& result, const RowName& name, const std::vector<Contender>& contenders,
                 const std::vector<record::Limit>& limits, bool goals)
{
    std::string text = fmt::format("{:<{}}", key_in_words(result, name), kKeyWidth);
    for (const std::string& label : name.labels)
        text += fmt::format("{:<{}}", label, kLabelWidth);
    const auto& libraries = result.rows.at(name).libraries;
    for (const Contender& contender : contenders) {
        const auto found = libraries.find(contender.name);
        text += fmt::format("{:>{}}", found == libraries.end() ? "-" : number(found->second.median()),
                            width_of(contender));
    }
    for (const std::string_view own : own_columns(result))
        text += judgement_text(judge(result, name, limits, own), *result.quantity, goals);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + (has_few_iterations(result.rows.at(name)) ? "  *\n" : "\n");
}

std::string footnotes(const CaseResult& result, const std::vector<Contender>& contenders)
{
    std::string text =
        fmt::format("# {}\n", circumstances_of(result)) + few_iterations(result) + other_beginnings(result);
    for (const Failure& failure : result.failures) {
        const auto named =
            std::find_if(contenders.begin(), contenders.end(),
                         [&](const Contender& contender) { return contender.name == failure.library; });
        text += fmt::format("# {}: {}{}\n", named == contenders.end() ? failure.library : named->title,
                            failure.excused ? "" : "FAILED: ", first_line(failure.message));
    }
    return text;
}

// The rows of all cases that `judged` has words for, worst first.
template <class Words>
std::string listed(const std::vector<CaseResult>& results, const std::vector<record::Limit>& limits,
                   Words judged)
{
    std::vector<std::pair<double, std::string>> found;
    for (const CaseResult& result : results) {
        for (const RowName& name : result.order) {
            for (const std::string_view own : own_columns(result)) {
                const Judgement judgement = judge(result, name, limits, own);
                const std::string said = judged(judgement, result);
                if (said.empty())
                    continue;
                const auto cost = cost_ratio(judgement, result.better() == Better::lower);
                found.emplace_back(
                    cost ? cost->value : 1.0,
                    fmt::format(
                        "#   {}{}{}{}{}: {}\n", result.which.name(), name.key ? ", " : "",
                        name.key ? key_in_words(result, name) : "",
                        fmt::format("{}{}", name.labels.empty() ? "" : ", ", fmt::join(name.labels, " ")),
                        own == kAllocated ? ", allocate" : "", said));
            }
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (const auto& [ratio, words] : found)
        text += words;
    return text;
}

std::string beside_peer(const Judgement& judgement, const CaseResult& result)
{
    const Ratio ratio = of_costs(*judgement.ratio, result.better());
    return fmt::format("{} of {} ({})", ratio_text(ratio.value), *judgement.peer,
                       interval_text(ratio.interval));
}

}  // namespace

std::string case_table(const CaseResult& result, const std::vector<Contender>& contenders,
                       const std::vector<record::Limit>& limits, bool goals)
{
    if (!result.quantity)
        return fmt::format("\n# {}: no figures\n{}", result.which.name(), footnotes(result, contenders));
    std::string text = header(result, contenders, goals);
    for (const RowName& name : result.order)
        text += line(result, name, contenders, limits, goals);
    return text + footnotes(result, contenders);
}

std::string modes_text(const CaseResult& result, const Modes& modes)
{
    std::vector<std::string> found;
    for (const auto& [library, trips] : result.trips_ns) {
        std::vector<std::string> others;
        for (const auto& [round, ns] : trips) {
            if (!modes.is_usual(ns))
                others.push_back(fmt::format("{:.0f}", ns));
        }
        if (!others.empty())
            found.push_back(fmt::format("{} {} of {} runs ({} ns)", library, others.size(), trips.size(),
                                        fmt::join(others, ", ")));
    }
    return found.empty()
               ? ""
               : fmt::format("# In another mode of the machine, in which cores are not {:.0f} ns apart: {}\n",
                             *modes.usual_ns(), fmt::join(found, "; "));
}

std::string slower_rows(const std::vector<CaseResult>& results, const std::vector<record::Limit>& limits)
{
    return listed(results, limits, [](const Judgement& judgement, const CaseResult& result) {
        return judgement.verdict == Verdict::slower ? beside_peer(judgement, result) : std::string();
    });
}

std::string missed_goals(const std::vector<CaseResult>& results, const std::vector<record::Limit>& limits)
{
    return listed(results, limits, [](const Judgement& judgement, const CaseResult& result) {
        if (!judgement.goal || judgement.met || judgement.goal->kind == Goal::Kind::not_behind)
            return std::string();
        return fmt::format(
            "{}, goal: {}",
            judgement.ratio ? beside_peer(judgement, result) : fmt::format("{}", *judgement.own),
            words(*judgement.goal, *result.quantity));
    });
}

std::string cliffs(const std::vector<CaseResult>& results)
{
    std::string text;
    for (const CaseResult& result : results) {
        if (result.which.benchmark != "bw")
            continue;
        for (const std::string_view own : own_columns(result)) {
            std::optional<double> before;
            for (const RowName& name : result.order) {
                const auto& libraries = result.rows.at(name).libraries;
                const auto found = libraries.find(std::string(own));
                if (found == libraries.end())
                    continue;
                const double value = found->second.median();
                if (before && value < (1 - kMostFall) * *before)
                    text += fmt::format("#   {}, {}{}: {}, and {} at the size before\n", result.which.name(),
                                        key_in_words(result, name), own == kAllocated ? ", allocate" : "",
                                        number(value), number(*before));
                before = value;
            }
        }
    }
    return text;
}

std::optional<double> median_of_collectives(const std::vector<CaseResult>& results,
                                            const std::vector<record::Limit>& limits)
{
    std::vector<double> ratios;
    for (const CaseResult& result : results) {
        for (const RowName& name : result.order) {
            const Judgement judgement = judge(result, name, limits);
            if (judgement.ratio && counts_for_median(result.which, name.key))
                ratios.push_back(judgement.ratio->value);
        }
    }
    return ratios.empty() ? std::nullopt : std::optional(median(ratios));
}

}  // namespace tutti::bench
