#include "collectives/hierarchy.hpp"

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

Hierarchy::Hierarchy(Group& group, int root)
    : nodes_(*group.placement().nodes),
      own_node_(nodes_.node_of(group.rank())),
      root_node_(root == kNoRoot ? 0 : nodes_.node_of(root)),
      node_(group, nodes_.members(own_node_), place_of(group.rank(), nodes_.members(own_node_)),
            inside_a_node(group)),
      leader_(root == kNoRoot || own_node_ != root_node_ ? 0 : place_of(root, nodes_.members(own_node_)))
{
    if (!is_leader())
        return;
    leader_ranks_.assign(nodes_.leaders().begin(), nodes_.leaders().end());
    if (root != kNoRoot)
        leader_ranks_[static_cast<std::size_t>(root_node_)] = root;
    leaders_.emplace(group, leader_ranks_, own_node_, Placement{});
}

}  // namespace tutti::collectives
