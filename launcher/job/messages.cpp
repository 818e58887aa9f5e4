#include "launcher/job/messages.hpp"

namespace tutti::launcher {

std::vector<int> LaunchOrder::ranks_of(int node) const
{
    std::vector<int> result;
    for (const Placement& placement : ranks)
        if (placement.node == node)
            result.push_back(placement.rank);
    return result;
}

void LaunchOrder::check() const
{
    const auto is_index_of = [](int index, const auto& list) {
        return index >= 0 && static_cast<std::size_t>(index) < list.size();
    };
    for (const AppContext& app : apps)
        if (app.argv.empty())
            throw WireError("a program of the launch order has no name");
    if (stdin_target > StdinTarget::none)
        throw WireError("the launch order has an unknown target for standard input");
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        if (!is_index_of(ranks[rank].app, apps) || !is_index_of(ranks[rank].node, nodes))
            throw WireError("a rank of the launch order belongs to no program or no node");
        if (ranks[rank].rank != static_cast<int>(rank))
            throw WireError("the ranks of the launch order are not in order");
    }
}

}  // namespace tutti::launcher
