#include "collectives/nodes.hpp"

#include <map>

#include "collectives/patterns.hpp"

namespace tutti::collectives {

NodeMap::NodeMap(std::span<const int> node_of_rank)
{
    std::map<int, int> numbers;
    for (const int given : node_of_rank) {
        const auto [known, is_new] = numbers.try_emplace(given, static_cast<int>(members_.size()));
        const int rank = static_cast<int>(node_of_.size());
        if (is_new) {
            members_.emplace_back();
            leaders_.push_back(rank);
        }
        std::vector<int>& own = members_[static_cast<std::size_t>(known->second)];
        in_rank_order_ = in_rank_order_ && (own.empty() || own.back() == rank - 1);
        own.push_back(rank);
        node_of_.push_back(known->second);
    }
}

NodeMap NodeMap::in_blocks(int ranks, int nodes)
{
    std::vector<int> node_of(static_cast<std::size_t>(ranks));
    for (int node = 0; node < nodes; ++node) {
        const patterns::Block own = patterns::block(
            static_cast<std::size_t>(ranks), static_cast<std::size_t>(nodes), static_cast<std::size_t>(node));
        for (std::size_t rank = own.first; rank < own.first + own.count; ++rank) {
            node_of[rank] = node;
        }
    }
    return NodeMap(node_of);
}

}  // namespace tutti::collectives
