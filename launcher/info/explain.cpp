#include "launcher/info/explain.hpp"

#include <fmt/format.h>

#include <array>

#include "collectives/parse_bytes.hpp"

namespace tutti::info {

using collectives::AlgorithmEntry;
using collectives::CollectiveEntry;
using collectives::in_bytes;
using collectives::kAnyBytes;
using collectives::kAnyRanks;
using collectives::ResolvedRule;
using collectives::Situation;

namespace {

std::string range(std::string_view least, std::string_view most, std::string_view unit)
{
    if (least == most)
        return fmt::format("{}{}", least, unit);
    if (least.empty())
        return fmt::format("up to {}{}", most, unit);
    if (most.empty())
        return fmt::format("from {}{} on", least, unit);
    return fmt::format("{} to {}{}", least, most, unit);
}

std::string count_text(int count, int no_limit)
{
    return count == no_limit ? std::string() : fmt::to_string(count);
}

std::string text_of(const ResolvedRule& rule, const AlgorithmEntry& algorithm)
{
    std::vector<std::string> conditions;
    if (rule.crowded_only)
        conditions.emplace_back("more ranks than cores");
    if (rule.mixed_only)
        conditions.emplace_back("nodes whose ranks do not follow each other");
    if (rule.min_nodes != 1 || rule.max_nodes != kAnyRanks)
        conditions.push_back(
            range(count_text(rule.min_nodes, 1), count_text(rule.max_nodes, kAnyRanks), " nodes"));
    if (rule.min_ranks != 1 || rule.max_ranks != kAnyRanks)
        conditions.push_back(
            range(count_text(rule.min_ranks, 1), count_text(rule.max_ranks, kAnyRanks), " ranks"));
    if (rule.min_bytes != 0 || rule.max_bytes != kAnyBytes)
        conditions.push_back(range(rule.min_bytes == 0 ? "" : in_bytes(rule.min_bytes),
                                   rule.max_bytes == kAnyBytes ? "" : in_bytes(rule.max_bytes), ""));
    std::string text = conditions.empty() ? "any call" : fmt::format("{}", fmt::join(conditions, ", "));
    text += fmt::format(": {}", algorithm.name);
    if (rule.segment_bytes != 0)
        text += fmt::format(" in segments of {}", in_bytes(rule.segment_bytes));
    return text;
}

/// Why a rule does not fit; empty where it does.
std::string misfit(const ResolvedRule& rule, const Situation& situation)
{
    if (rule.crowded_only && !situation.crowded())
        return "there are not more ranks than cores on one node";
    if (rule.mixed_only && !situation.mixed())
        return situation.nodes() == 1 ? "there is one node" : "the ranks of each node follow each other";
    if (situation.nodes() < rule.min_nodes || situation.nodes() > rule.max_nodes)
        return fmt::format("there {} {} node{}", situation.nodes() == 1 ? "is" : "are", situation.nodes(),
                           situation.nodes() == 1 ? "" : "s");
    if (situation.ranks < rule.min_ranks || situation.ranks > rule.max_ranks)
        return fmt::format("there are {} ranks", situation.ranks);
    if (situation.size_bytes < rule.min_bytes || situation.size_bytes > rule.max_bytes)
        return fmt::format("the data has {}", in_bytes(situation.size_bytes));
    return missing(rule.operands, rule.through, situation);
}

/// True when one of the rules fits: `told` then says which.
bool ask(std::span<const ResolvedRule> rules, const CollectiveEntry& collective, std::string_view source,
         const Situation& situation, Explanation& told)
{
    for (std::size_t index = 0; index < rules.size(); ++index) {
        const AlgorithmEntry& algorithm = collective.algorithms[rules[index].algorithm];
        std::string what =
            fmt::format("rule {} of {}: {}", index + 1, source, text_of(rules[index], algorithm));
        std::string reason = misfit(rules[index], situation);
        if (reason.empty()) {
            told.algorithm = algorithm.name;
            told.segment_bytes = rules[index].segment_bytes;
            told.decided_by = std::move(what);
            return true;
        }
        told.passed_over.push_back({std::move(what), std::move(reason)});
    }
    return false;
}

template <class Collective>
std::size_t segment_bytes_of(const collectives::Choice& choice, const Situation& situation)
{
    return choice.choose<Collective>(situation).segment_bytes;
}

std::size_t chosen_segment_bytes(const collectives::Choice& choice, unsigned collective,
                                 const Situation& situation)
{
    const auto of_each = []<class... Collectives>(std::tuple<Collectives...>) {
        return std::array{&segment_bytes_of<Collectives>...};
    }(collectives::AllCollectives{});
    return of_each.at(collective)(choice, situation);
}

}  // namespace

Explanation explain(const collectives::Choice& choice, const char* (*environment)(const char*),
                    unsigned collective, const Situation& situation)
{
    const CollectiveEntry& entry = collectives::catalogue()[collective];
    Explanation told;
    const std::string_view forced = choice.forced(collective);
    for (const AlgorithmEntry& algorithm : entry.algorithms) {
        if (algorithm.name != forced)
            continue;
        std::string what = fmt::format("{}={}, in the environment", entry.variable,
                                       environment(std::string(entry.variable).c_str()));
        std::string reason = missing(algorithm.operands, algorithm.through, situation);
        if (reason.empty()) {
            told.algorithm = forced;
            told.segment_bytes = chosen_segment_bytes(choice, collective, situation);
            told.decided_by = std::move(what);
            return told;
        }
        told.passed_over.push_back({std::move(what), std::move(reason)});
    }
    const collectives::FileRules& file = choice.from_file();
    if (!ask(file.of[collective], entry, file.file, situation, told))
        ask(entry.resolved, entry, "the table", situation, told);
    return told;
}

}  // namespace tutti::info
