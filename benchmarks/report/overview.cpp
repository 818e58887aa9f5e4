#include "benchmarks/report/overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tutti::bench {

namespace {

void count(Tally& tally, const record::CaseRow& row, const record::Beside& beside, std::optional<double> cost)
{
    tally.log_costs += cost ? std::log(*cost) : 0.0;
    tally.ratios += cost ? 1 : 0;
    tally.faster += beside.verdict == "faster" ? 1 : 0;
    tally.same += beside.verdict == "same" ? 1 : 0;
    tally.slower += beside.verdict == "slower" ? 1 : 0;
    tally.undecided += beside.verdict.empty() && !row.better_peer.empty() ? 1 : 0;
    tally.alone += row.better_peer.empty() ? 1 : 0;
}

}  // namespace

std::optional<double> Tally::advantage() const
{
    return ratios > 0 ? std::optional(std::exp(-log_costs / ratios)) : std::nullopt;
}

Overview overview_of(const std::vector<Topic>& topics)
{
    Overview overview;
    for (const Topic& topic : topics) {
        if (topic.which == nullptr)
            continue;
        Tally& tally = overview.cases.emplace_back(&topic, Tally{}).second;
        for (const record::CaseRow& row : topic.which->rows) {
            const std::optional<double> cost = of_costs(row, topic.quantity).ratio;
            count(tally, row, row, cost);
            count(overview.tally, row, row, cost);
            if (row.allocated)
                count(overview.allocated, row, *row.allocated,
                      of_costs(*row.allocated, topic.quantity).ratio);
            if (cost)
                overview.worst.push_back({&topic, &row, *cost});
        }
    }
    std::stable_sort(overview.worst.begin(), overview.worst.end(), [](const Standing& a, const Standing& b) {
        const bool a_slower = a.row->verdict == "slower", b_slower = b.row->verdict == "slower";
        return a_slower != b_slower ? a_slower : a.cost > b.cost;
    });
    return overview;
}

std::string sentence(const Tally& tally)
{
    std::string rest;
    if (tally.undecided > 0)
        rest += fmt::format(" {} are undecided: they need more runs.", tally.undecided);
    if (tally.alone > 0)
        rest += fmt::format(" {} have no peer.", tally.alone);
    if (tally.compared() == 0)
        return "No row has been compared with a peer." + rest;
    return fmt::format("{} of {} rows are faster than the best peer, {} the same, {} slower.{}", tally.faster,
                       tally.compared(), tally.same, tally.slower, rest);
}

std::string summary_of(const Overview& overview)
{
    std::string text = sentence(overview.tally);
    if (overview.allocated.compared() > 0)
        text += " Out of tutti::allocate: " + sentence(overview.allocated);
    return text;
}

}  // namespace tutti::bench
