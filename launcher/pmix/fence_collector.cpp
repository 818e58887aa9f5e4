#include "launcher/pmix/fence_collector.hpp"

#include <pmix_common.h>

#include <algorithm>

namespace tutti::launcher {

std::set<int> FenceCollector::nodes_of(const std::vector<int>& ranks) const
{
    std::set<int> nodes;
    for (const int rank : ranks) {
        if (rank == kAllRanks)
            for (const RankPlacement& placement : map_.ranks)
                nodes.insert(placement.node);
        else if (rank >= 0 && static_cast<std::size_t>(rank) < map_.ranks.size())
            nodes.insert(map_.ranks[static_cast<std::size_t>(rank)].node);
        else
            throw WireError("a fence of a rank that does not exist");
    }
    return nodes;
}

bool FenceCollector::contains_ended(const std::vector<int>& ranks) const
{
    return std::ranges::any_of(ended_, [&](int ended) {
        return std::ranges::any_of(ranks, [&](int rank) { return rank == kAllRanks || rank == ended; });
    });
}

void FenceCollector::add(int node, FenceFrame part)
{
    const std::set<int> nodes = nodes_of(part.ranks);
    if (!nodes.contains(node))
        throw WireError("a fence of ranks of other nodes");
    if (contains_ended(part.ranks)) {
        answer_({node}, {std::move(part.ranks), PMIX_ERR_LOST_CONNECTION, {}});
        return;
    }
    std::deque<Fence>& queue = fences_[part.ranks];
    auto fence = std::ranges::find_if(queue, [&](const Fence& open) { return open.missing.contains(node); });
    if (fence == queue.end())
        fence = queue.insert(queue.end(), {nodes, nodes, {part.ranks, PMIX_SUCCESS, {}}});
    fence->missing.erase(node);
    fence->done.data += part.data;
    if (part.status != PMIX_SUCCESS)
        fence->done.status = part.status;
    if (fence->missing.empty()) {
        // Each node sends its fences in order, so this is the first of the queue.
        const Fence complete = std::move(*fence);
        queue.erase(fence);
        if (queue.empty())
            fences_.erase(part.ranks);
        answer_(complete.nodes, complete.done);
    }
}

void FenceCollector::rank_ended(int rank)
{
    ended_.insert(rank);
    for (auto entry = fences_.begin(); entry != fences_.end();) {
        if (!contains_ended(entry->first)) {
            ++entry;
            continue;
        }
        for (const Fence& fence : entry->second) {
            std::set<int> waiting;
            std::ranges::set_difference(fence.nodes, fence.missing, std::inserter(waiting, waiting.end()));
            answer_(waiting, {entry->first, PMIX_ERR_LOST_CONNECTION, {}});
        }
        entry = fences_.erase(entry);
    }
}

}  // namespace tutti::launcher
