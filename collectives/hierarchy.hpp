// Hierarchy: the groups that hierarchical algorithms are made of: the ranks of each node, and one leader of
// every node.
#pragma once

#include <optional>
#include <vector>

#include "collectives/nodes.hpp"
#include "collectives/sub_group.hpp"

namespace tutti::collectives {

/// One rank's view. Lives in the frame of the algorithm that uses it. The group's placement must say which
/// rank is on which node.
class Hierarchy {
public:
    static constexpr int kNoRoot = -1;
    struct HighestLead {};

    /// Each node is led by its lowest rank, but that of `root`, where one is given, by the root.
    Hierarchy(Group& group, int root);
    /// Each node is led by its highest rank.
    Hierarchy(Group& group, HighestLead);
    Hierarchy(const Hierarchy&) = delete;
    Hierarchy& operator=(const Hierarchy&) = delete;

    const NodeMap& nodes() const noexcept { return nodes_; }
    int own_node() const noexcept { return own_node_; }
    /// The ranks of this rank's node, in their order.
    Group& node() noexcept { return node_; }
    /// The leader's rank in node().
    int leader() const noexcept { return leader_; }
    bool is_leader() const noexcept { return node_.rank() == leader_; }
    /// The leaders, in the order of nodes; for leaders only.
    Group& leaders() noexcept { return *leaders_; }
    /// The node of `root`, which is its rank in leaders().
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
