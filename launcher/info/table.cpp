#include "launcher/info/table.hpp"

#include <fmt/format.h>

#include <map>

#include "collectives/parse_bytes.hpp"
#include "launcher/info/candidates.hpp"
#include "launcher/info/print.hpp"
#include "transports/shm/node_board.hpp"

namespace tutti::info {

using collectives::in_bytes;

collectives::Situation situation_of(const Options& options, std::size_t size_bytes,
                                    const collectives::NodeMap* nodes)
{
    collectives::Situation situation;
    situation.ranks = options.ranks;
    situation.size_bytes = size_bytes;
    situation.commutative = options.commutative;
    situation.placement.one_node = nodes == nullptr;
    situation.placement.nodes = nodes;
    situation.placement.more_ranks_than_cores = options.crowded;
    situation.placement.board_bytes = options.crowded ? transport::shm::NodeBoard::kSlotBytes : 0;
    return situation;
}

std::string prediction_table(const Options& options, unsigned collective, const collectives::Choice& choice,
                             const collectives::NodeMap* nodes,
                             const collectives::simulator::CostModel& model)
{
    const collectives::CollectiveEntry& entry = collectives::catalogue()[collective];
    // A barrier has no sizes, and no rank of an alltoallv knows one.
    std::vector<std::size_t> sizes = options.sizes_bytes;
    if (entry.name == "barrier")
        sizes = {0};
    std::map<std::string_view, std::vector<std::string>> cells;
    std::string header = fmt::format("| {} |", entry.name);
    std::string line = "|---|";
    for (const std::size_t size : sizes) {
        header += entry.name == "barrier" ? " |" : fmt::format(" {} |", in_bytes(size));
        line += "---:|";
        const collectives::Situation situation = situation_of(options, size, nodes);
        const Explanation chosen = explain(choice, collective, situation);
        for (const Candidate& candidate :
             candidates(collective, situation, chosen, options.most_messages, model)) {
            const std::string time = candidate.prediction ? in_time(candidate.prediction->time_ns) : "-";
            cells[candidate.algorithm].push_back(
                candidate.algorithm == chosen.algorithm ? fmt::format("**{}**", time) : time);
        }
    }
    std::string text = header + "\n" + line + "\n";
    for (const collectives::AlgorithmTraits& algorithm : entry.algorithms) {
        const std::vector<std::string>& own = cells[algorithm.name];
        if (!needs_board(algorithm.needs))
            text += fmt::format("| {} | {} |\n", algorithm.name, fmt::join(own, " | "));
    }
    return text;
}

}  // namespace tutti::info
