#include "collectives/hierarchy/hierarchy.hpp"

#include <algorithm>

namespace tutti::collectives {

namespace {

int place_of(int rank, std::span<const int> ascending)
{
    return static_cast<int>(std::ranges::lower_bound(ascending, rank) - ascending.begin());
}

Placement inside_a_node(const Group& group)
{
    return {.one_node = true, .more_ranks_than_cores = group.placement().more_ranks_than_cores};
}

}  // namespace

Hierarchy::Hierarchy(Group& group)
    : nodes_(*group.placement().nodes),
      own_node_(nodes_.node_of(group.rank())),
      node_(group, nodes_.members(own_node_), place_of(group.rank(), nodes_.members(own_node_)),
            inside_a_node(group))
{
}

Hierarchy::Hierarchy(Group& group, int root) : Hierarchy(group)
{
    const bool has_root = root != kNoRoot;
    root_node_ = has_root ? nodes_.node_of(root) : 0;
    if (has_root && own_node_ == root_node_)
        leader_ = place_of(root, nodes_.members(own_node_));
    if (!is_leader())
        return;
    leader_ranks_.assign(nodes_.leaders().begin(), nodes_.leaders().end());
    if (has_root)
        leader_ranks_[static_cast<std::size_t>(root_node_)] = root;
    leaders_.emplace(group, leader_ranks_, own_node_, Placement{});
}

Hierarchy::Hierarchy(Group& group, HighestLead) : Hierarchy(group)
{
    leader_ = node_.size() - 1;
    if (!is_leader())
        return;
    for (int node = 0; node < nodes_.count(); ++node)
        leader_ranks_.push_back(nodes_.members(node).back());
    leaders_.emplace(group, leader_ranks_, own_node_, Placement{});
}

}  // namespace tutti::collectives
