#include "collectives/framework/nodes.hpp"

#include <algorithm>
#include <map>

#include "collectives/framework/patterns.hpp"

namespace tutti::collectives {

NodeMap::NodeMap(std::span<const int> node_of_rank)
{
    std::map<int, int> numbers;
    std::vector<std::size_t> members;
    for (const int given : node_of_rank) {
        const auto [known, is_new] = numbers.try_emplace(given, static_cast<int>(members.size()));
        if (is_new) {
            leaders_.push_back(static_cast<int>(node_of_.size()));
            members.push_back(0);
        }
        ++members[static_cast<std::size_t>(known->second)];
        node_of_.push_back(known->second);
    }
    first_.push_back(0);
    for (const std::size_t own : members) {
        first_.push_back(first_.back() + own);
        equal_ = equal_ && own == members.front();
    }
    by_node_.resize(node_of_.size());
    std::vector<std::size_t> next(first_);
    for (std::size_t rank = 0; rank < node_of_.size(); ++rank)
        by_node_[next[static_cast<std::size_t>(node_of_[rank])]++] = static_cast<int>(rank);
    in_rank_order_ = std::ranges::is_sorted(by_node_);
}

NodeMap NodeMap::in_blocks(int ranks, int nodes)
{
    std::vector<int> node_of(static_cast<std::size_t>(ranks));
    for (int node = 0; node < nodes; ++node) {
        const patterns::Block own = patterns::block(
            static_cast<std::size_t>(ranks), static_cast<std::size_t>(nodes), static_cast<std::size_t>(node));
        for (std::size_t rank = own.first; rank < own.first + own.count; ++rank)
            node_of[rank] = node;
    }
    return NodeMap(node_of);
}

}  // namespace tutti::collectives
