#include "benchmarks/tune/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "transports/shm/node_board.hpp"

namespace tutti::bench {

using collectives::AlgorithmTraits;
using collectives::CollectiveEntry;
using collectives::Rule;
using collectives::Situation;
using nlohmann::ordered_json;

namespace {

constexpr double kWorthAChange = 0.95;
constexpr std::size_t kSegmentBytes[] = {8u << 10, 32u << 10, 128u << 10};

Situation situation(const Surroundings& where, std::size_t size_bytes)
{
    Situation made;
    made.ranks = where.ranks;
    made.size_bytes = size_bytes;
    made.placement.one_node = where.nodes == nullptr;
    made.placement.nodes = where.nodes;
    made.placement.more_ranks_than_cores = where.crowded;
    // A communicator of two has none.
    made.placement.board_bytes =
        made.crowded() && where.ranks > 2 ? transport::shm::NodeBoard::kSlotBytes : 0;
    return made;
}

Trial trial_of(const AlgorithmTraits& algorithm, std::size_t segment_bytes)
{
    return {algorithm.name, segment_bytes, needs_board(algorithm.needs)};
}

ordered_json rule_of(const Surroundings& where, std::size_t min_bytes, std::size_t max_bytes,
                     const Trial& trial)
{
    ordered_json rule;
    if (where.nodes != nullptr) {
        rule["min_nodes"] = where.nodes->count();
        rule["max_nodes"] = where.nodes->count();
    } else if (where.crowded) {
        rule["where"] = "crowded";
    }
    rule["min_ranks"] = where.ranks;
    rule["max_ranks"] = where.ranks;
    rule["min_bytes"] = min_bytes;
    rule["max_bytes"] = max_bytes;
    rule["algorithm"] = trial.algorithm;
    if (trial.segment_bytes != 0)
        rule["segment_bytes"] = trial.segment_bytes;
    return rule;
}

std::size_t between(std::size_t smaller, std::size_t larger)
{
    return static_cast<std::size_t>(std::sqrt(static_cast<double>(smaller) * static_cast<double>(larger)));
}

}  // namespace

std::string to_string(const Trial& trial)
{
    return trial.segment_bytes == 0 ? std::string(trial.algorithm)
                                    : fmt::format("{}:{}", trial.algorithm, trial.segment_bytes);
}

std::vector<Trial> trials(const CollectiveEntry& collective, const Surroundings& where,
                          std::size_t size_bytes)
{
    const Situation here = situation(where, size_bytes);
    const auto usual =
        std::ranges::find_if(collective.rules, [&](const Rule& rule) { return fits(rule, here); });
    std::vector<Trial> found{{usual->algorithm, usual->segment_bytes, needs_board(usual->needs)}};
    const auto add = [&](const Trial& trial) {
        if (trial != found.front())
            found.push_back(trial);
    };
    for (const AlgorithmTraits& algorithm : collective.algorithms) {
        if (!is_met(algorithm.needs, here))
            continue;
        if (!algorithm.has_segments)
            add(trial_of(algorithm, 0));
        else
            for (const std::size_t segment_bytes : kSegmentBytes) {
                if (segment_bytes < size_bytes)
                    add(trial_of(algorithm, segment_bytes));
            }
    }
    return found;
}

const Trial& Times::winner(bool only_messages) const
{
    std::size_t best = trials.size();
    for (std::size_t index = 0; index < trials.size(); ++index) {
        const bool counts = !only_messages || !trials[index].on_board;
        if (counts && (best == trials.size() || us[index] < us[best]))
            best = index;
    }
    const bool usual_counts = !only_messages || !trials.front().on_board;
    return usual_counts && us[best] > kWorthAChange * us.front() ? trials.front() : trials[best];
}

ordered_json rules_of(const Surroundings& where, const std::vector<Times>& by_size)
{
    ordered_json rules = ordered_json::array();
    std::size_t begin = 0;
    for (std::size_t first = 0; first < by_size.size();) {
        const auto same = [&](const Times& times) {
            return times.winner() == by_size[first].winner() &&
                   times.winner(true) == by_size[first].winner(true);
        };
        std::size_t last = first;
        while (last + 1 < by_size.size() && same(by_size[last + 1]))
            ++last;
        const std::size_t end = last + 1 < by_size.size()
                                    ? between(by_size[last].size_bytes, by_size[last + 1].size_bytes)
                                    : by_size[last].size_bytes;
        const Times& times = by_size[first];
        rules.push_back(rule_of(where, begin, end, times.winner()));
        if (times.winner().on_board)  // which non-blocking calls do not have
            rules.push_back(rule_of(where, begin, end, times.winner(true)));
        begin = end + 1;
        first = last + 1;
    }
    return rules;
}

}  // namespace tutti::bench
