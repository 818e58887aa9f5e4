#include "launcher/info/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "collectives/choice/parse_bytes.hpp"
#include "lib/foundation/settings/settings.hpp"

namespace tutti::info {

using collectives::AlgorithmTraits;
using collectives::CollectiveEntry;
using collectives::in_bytes;
using collectives::kAnyBytes;
using collectives::kAnyRanks;
using collectives::Rule;
using collectives::Situation;
using collectives::Where;
using collectives::simulator::PredictedCall;
using collectives::simulator::Prediction;

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

std::string text_of(const Rule& rule)
{
    std::vector<std::string> conditions;
    if (rule.where == Where::crowded)
        conditions.emplace_back("more ranks than cores");
    if (rule.where == Where::mixed_nodes)
        conditions.emplace_back("nodes whose ranks do not follow each other");
    if (rule.where == Where::read_in_place)
        conditions.emplace_back("data that is read in place");
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
    text += fmt::format(": {}", rule.algorithm);
    if (rule.segment_bytes != 0)
        text += fmt::format(" in segments of {}", in_bytes(rule.segment_bytes));
    return text;
}

/// Why a rule does not fit; empty where it does.
std::string misfit(const Rule& rule, const Situation& situation)
{
    if (rule.where == Where::crowded && !situation.crowded())
        return "there are not more ranks than cores on one node";
    if (rule.where == Where::mixed_nodes && !situation.mixed())
        return situation.nodes() == 1 ? "there is one node" : "the ranks of each node follow each other";
    if (rule.where == Where::read_in_place && !situation.read_in_place)
        return "no rank reads another's data in place";
    if (situation.nodes() < rule.min_nodes || situation.nodes() > rule.max_nodes)
        return fmt::format("there {} {} node{}", situation.nodes() == 1 ? "is" : "are", situation.nodes(),
                           situation.nodes() == 1 ? "" : "s");
    if (situation.ranks < rule.min_ranks || situation.ranks > rule.max_ranks)
        return fmt::format("there are {} ranks", situation.ranks);
    if (situation.size_bytes < rule.min_bytes || situation.size_bytes > rule.max_bytes)
        return fmt::format("the data has {}", in_bytes(situation.size_bytes));
    return missing(rule.needs, situation);
}

/// `number`: from 1, among those of its source.
std::string name_of(const Rule& rule, int number, const CollectiveEntry& collective, const std::string& file)
{
    if (rule.source != Rule::Source::environment)
        return fmt::format("rule {} of {}: {}", number,
                           rule.source == Rule::Source::file ? file : "the table", text_of(rule));
    const std::string origin = settings::origin_of(collective.variable);
    return fmt::format("{}={}{}{}", collective.variable, rule.algorithm,
                       rule.segment_bytes == 0 ? "" : fmt::format(":{}", rule.segment_bytes),
                       origin.empty() ? ", in the environment" : origin);
}

double order(const AlgorithmCandidate& candidate)
{
    return candidate.prediction ? candidate.prediction->time_ns : std::numeric_limits<double>::infinity();
}

}  // namespace

Explanation explain(const collectives::Choice& choice, unsigned collective, const Situation& situation)
{
    const CollectiveEntry& entry = collectives::catalogue()[collective];
    Explanation result;
    for (const std::span<const Rule> rules : {choice.own_rules(collective), entry.rules}) {
        int number = 0;
        for (const Rule& rule : rules) {
            number += rule.source != Rule::Source::environment;
            std::string what = name_of(rule, number, entry, choice.file());
            std::string reason = misfit(rule, situation);
            if (reason.empty()) {
                result.algorithm = rule.algorithm;
                result.segment_bytes = rule.segment_bytes;
                result.decided_by = std::move(what);
                if (rule.where == Where::read_in_place) {
                    Situation copied = situation;
                    copied.read_in_place = false;
                    const Explanation other = explain(choice, collective, copied);
                    result.where_copied = fmt::format("{}, by {}", other.algorithm, other.decided_by);
                }
                return result;
            }
            result.passed_over.push_back({std::move(what), std::move(reason)});
        }
    }
    return result;
}

std::vector<AlgorithmCandidate> candidates(unsigned collective, const Situation& situation,
                                           const Explanation& chosen, std::size_t most_messages,
                                           const collectives::simulator::CostModel& model)
{
    const PredictedCall call{.ranks = situation.ranks,
                             .size_bytes = situation.size_bytes,
                             .nodes = situation.placement.nodes,
                             .commutative = situation.commutative,
                             .most_messages = most_messages};
    std::vector<AlgorithmCandidate> all;
    for (const AlgorithmTraits& algorithm : collectives::catalogue()[collective].algorithms) {
        AlgorithmCandidate& one = all.emplace_back();
        one.algorithm = algorithm.name;
        if (algorithm.has_segments)
            one.segment_bytes =
                algorithm.name == chosen.algorithm ? chosen.segment_bytes : collectives::kDefaultSegmentBytes;
        if (!is_met(algorithm.needs, situation)) {
            one.remark = "cannot do this call";
        } else if (needs_board(algorithm.needs)) {
            one.remark = "not in the model, which has a core for every rank";
        } else {
            const Prediction made = predict(collective, algorithm.name, one.segment_bytes, call, model);
            if (made.given_up)
                one.remark = "given up: too many messages (--messages) or bytes";
            else
                one.prediction = made;
        }
    }
    std::ranges::stable_sort(all, {}, order);
    return all;
}

}  // namespace tutti::info
