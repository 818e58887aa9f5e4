// Hierarchy: the groups of hierarchical algorithms: the ranks of each node, and the leaders of all nodes.
#pragma once

#include <optional>
#include <vector>

#include "collectives/framework/nodes.hpp"
#include "collectives/framework/sub_group.hpp"

namespace tutti::collectives {

/// One rank's view. Lives in the frame of the algorithm that uses it. The group's placement must give each
/// rank's node.
class Hierarchy {
public:
    static constexpr int kNoRoot = -1;
    struct HighestLead {};

    /// The leader of a node is its lowest rank. On the node of `root`, if given, it is the root.
    Hierarchy(Group& group, int root);
    /// The leader of a node is its highest rank.
    Hierarchy(Group& group, HighestLead);
    Hierarchy(const Hierarchy&) = delete;
    Hierarchy& operator=(const Hierarchy&) = delete;

    const NodeMap& nodes() const noexcept { return nodes_; }
    int own_node() const noexcept { return own_node_; }
    /// The ranks of this rank's node, in rank order.
    Group& node() noexcept { return node_; }
    /// The leader's rank in node().
    int leader() const noexcept { return leader_; }
    bool is_leader() const noexcept { return node_.rank() == leader_; }
    /// The leaders, in the order of nodes; only leaders may call it.
    Group& leaders() noexcept { return *leaders_; }
    /// The node of `root`; also its rank in leaders().
    int root_node() const noexcept { return root_node_; }

private:
    explicit Hierarchy(Group& group);

    const NodeMap& nodes_;
    int own_node_;
    int root_node_ = 0;
    SubGroup node_;
    int leader_ = 0;
    std::vector<int> leader_ranks_;
    std::optional<SubGroup> leaders_;
};

}  // namespace tutti::collectives
