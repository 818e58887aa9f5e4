#include "benchmarks/tune/tuning_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tutti::bench {

using nlohmann::ordered_json;

namespace {

constexpr double kWorthAChange = 0.95;
constexpr std::size_t kSegmentBytes[] = {8u << 10, 32u << 10, 128u << 10};

ordered_json rule_of(const Surroundings& where, std::size_t min_bytes, std::size_t max_bytes,
                     const Trial& trial)
{
    ordered_json rule;
    if (where.nodes() > 1) {
        rule["min_nodes"] = where.nodes();
        rule["max_nodes"] = where.nodes();
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

// What to do instead of the table's choice, if anything. Non-blocking calls have no board, so that a rule
// with it needs another one for them.
std::vector<Trial> changes_of(const Times& times)
{
    std::vector<Trial> chosen;
    const auto add = [&](const Trial& trial) {
        if (trial != times.trials.front())
            chosen.push_back(trial);
    };
    add(times.winner());
    if (times.winner().on_board && !chosen.empty())
        add(times.winner(true));
    return chosen;
}

}  // namespace

std::string to_string(const Trial& trial)
{
    return trial.segment_bytes == 0 ? std::string(trial.algorithm)
                                    : fmt::format("{}:{}", trial.algorithm, trial.segment_bytes);
}

int Surroundings::nodes() const
{
    const std::set<int> different(node_of_rank.begin(), node_of_rank.end());
    return std::max(1, static_cast<int>(different.size()));
}

std::vector<Trial> trials(std::string_view collective, const Surroundings& where, std::size_t size_bytes)
{
    std::vector<Trial> found;
    const auto add = [&](const Trial& trial) {
        if (found.empty() || trial != found.front())
            found.push_back(trial);
    };
    for (const auto& [name, segment, needs_board] :
         usable_algorithms(collective, {where.ranks, size_bytes, where.node_of_rank, where.crowded})) {
        if (segment == 0 || found.empty())
            add({name, segment, needs_board});
        for (const std::size_t segment_bytes : kSegmentBytes)
            if (segment != 0 && segment_bytes < size_bytes)
                add({name, segment_bytes});
    }
    return found;
}

std::optional<Ratio> Times::beside_table(std::size_t trial) const
{
    return ratio_of(us[trial], us.front());
}

const Trial& Times::winner(bool only_messages) const
{
    std::size_t best = 0;
    double least = kWorthAChange;
    for (std::size_t index = 1; index < trials.size(); ++index) {
        const std::optional<Ratio> ratio = beside_table(index);
        const bool counts = ratio && ratio->interval && ratio->interval->high < 1 &&
                            us[index].size() >= kLeastTuneStarts &&
                            !(only_messages && trials[index].on_board);
        if (counts && ratio->value < least) {
            best = index;
            least = ratio->value;
        }
    }
    return trials[best];
}

bool Times::undecided() const
{
    if (winner() != trials.front())
        return false;
    for (std::size_t index = 1; index < trials.size(); ++index) {
        const std::optional<Ratio> ratio = beside_table(index);
        if (ratio && ratio->value < kWorthAChange)
            return true;
    }
    return false;
}

ordered_json rules_of(const Surroundings& where, const std::vector<Times>& by_size)
{
    ordered_json rules = ordered_json::array();
    std::size_t begin = 0;
    for (std::size_t first = 0; first < by_size.size();) {
        const std::vector<Trial> chosen = changes_of(by_size[first]);
        std::size_t last = first;
        while (last + 1 < by_size.size() && changes_of(by_size[last + 1]) == chosen)
            ++last;
        const std::size_t end = last + 1 < by_size.size()
                                    ? between(by_size[last].size_bytes, by_size[last + 1].size_bytes)
                                    : by_size[last].size_bytes;
        for (const Trial& trial : chosen)
            rules.push_back(rule_of(where, begin, end, trial));
        begin = end + 1;
        first = last + 1;
    }
    return rules;
}

}  // namespace tutti::bench
