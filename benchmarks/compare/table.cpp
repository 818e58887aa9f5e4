#include "benchmarks/compare/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tutti::bench {

namespace {

constexpr int kKeyWidth = 10;
constexpr int kLabelWidth = 10;
constexpr int kValueWidth = 12;
constexpr int kRatioWidth = 8;
constexpr int kIntervalWidth = 17;
constexpr int kVerdictWidth = 9;
constexpr int kShareWidth = 9;

// Enough digits to distinguish 0.09 from 0.10; no decimals after a large number.
std::string number(double value)
{
    if (value < 100)
        return fmt::format("{:.3f}", value);
    return value < 10000 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

std::string key_text(const RowName& name)
{
    return name.key ? fmt::format("{}", *name.key) : "-";
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

// The first line of a message with several lines.
std::string first_line(const std::string& text)
{
    return text.substr(0, text.find('\n'));
}

std::string header(const CaseResult& result, const std::vector<Contender>& contenders, bool goals)
{
    const record::Quantity& quantity = *result.quantity;
    std::string text = fmt::format("\n# {}: {}, {} ({}, {} is better){}\n", result.which.name(),
                                   quantity.title, quantity.value, quantity.unit, to_string(result.better()),
                                   result.which.binding == Binding::core ? ", bound to cores" : "");
    auto out = std::back_inserter(text);
    fmt::format_to(out, "# {:<{}}", quantity.key.empty() ? "-" : quantity.key, kKeyWidth - 2);
    for (const std::string& label : quantity.labels)
        fmt::format_to(out, "{:<{}}", label, kLabelWidth);
    for (const Contender& contender : contenders)
        fmt::format_to(out, "{:>{}}", contender.title, kValueWidth);
    fmt::format_to(out, "{:>{}}{:>{}}{:>{}}{:>{}}{}\n", "Ratio", kRatioWidth, "95 %", kIntervalWidth,
                   "Verdict", kVerdictWidth, "Limit", kShareWidth, goals ? "  Goal" : "");
    return text;
}

std::string line(const CaseResult& result, const RowName& name, const std::vector<Contender>& contenders,
                 const Judgement& judgement, bool goals)
{
    std::string text;
    auto out = std::back_inserter(text);
    fmt::format_to(out, "{:<{}}", key_text(name), kKeyWidth);
    for (const std::string& label : name.labels)
        fmt::format_to(out, "{:<{}}", label, kLabelWidth);
    const auto& libraries = result.rows.at(name).libraries;
    for (const Contender& contender : contenders) {
        const auto found = libraries.find(contender.name);
        fmt::format_to(out, "{:>{}}", found == libraries.end() ? "-" : number(found->second.median()),
                       kValueWidth);
    }
    fmt::format_to(out, "{:>{}}{:>{}}{:>{}}{:>{}}",
                   judgement.ratio ? ratio_text(judgement.ratio->value) : "-", kRatioWidth,
                   interval_text(judgement.ratio ? judgement.ratio->interval : std::nullopt), kIntervalWidth,
                   judgement.verdict ? to_string(*judgement.verdict) : "-", kVerdictWidth,
                   judgement.share ? fmt::format("{:.0f} %", 100 * *judgement.share) : "-", kShareWidth);
    if (goals && judgement.goal)
        fmt::format_to(out, "  {:<9} {}", words(*judgement.goal, *result.quantity),
                       judgement.met ? "met" : "MISSED");
    return text + "\n";
}

std::string footnotes(const CaseResult& result, const std::vector<Contender>& contenders)
{
    std::string text;
    for (const Failure& failure : result.failures) {
        const auto named =
            std::find_if(contenders.begin(), contenders.end(),
                         [&](const Contender& contender) { return contender.name == failure.library; });
        text += fmt::format("# {}: {}{}\n", named == contenders.end() ? failure.library : named->title,
                            failure.excused ? "" : "FAILED: ", first_line(failure.message));
    }
    return text;
}

}  // namespace

std::string case_table(const CaseResult& result, const std::vector<Contender>& contenders,
                       const std::vector<record::Limit>& limits, bool goals)
{
    if (!result.quantity)
        return fmt::format("\n# {}: no figures\n{}", result.which.name(), footnotes(result, contenders));
    std::string text = header(result, contenders, goals);
    for (const RowName& name : result.order)
        text += line(result, name, contenders, judge(result, name, limits), goals);
    return text + footnotes(result, contenders);
}

std::string slower_rows(const std::vector<CaseResult>& results, const std::vector<record::Limit>& limits)
{
    std::vector<std::pair<double, std::string>> found;
    for (const CaseResult& result : results) {
        for (const RowName& name : result.order) {
            const Judgement judgement = judge(result, name, limits);
            if (judgement.verdict != Verdict::slower)
                continue;
            const double ratio = judgement.ratio->value;
            found.emplace_back(
                result.better() == Better::lower ? ratio : 1 / ratio,
                fmt::format("#   {}{}{}{}: {} of {} ({})\n", result.which.name(), name.key ? ", " : "",
                            name.key ? key_text(name) : "",
                            fmt::format("{}{}", name.labels.empty() ? "" : ", ", fmt::join(name.labels, " ")),
                            ratio_text(ratio), *judgement.peer, interval_text(judgement.ratio->interval)));
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (const auto& [ratio, words] : found)
        text += words;
    return text;
}

}  // namespace tutti::bench
