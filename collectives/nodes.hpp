// NodeMap: which ranks of a group run on which node.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tutti::collectives {

/// Nodes are numbered in the order of their lowest ranks, so rank 0 is on node 0. Made once a group, read at
/// every call.
class NodeMap {
public:
    /// `node_of_rank`: any number for each rank, equal for ranks of the same node. Throws std::bad_alloc.
    explicit NodeMap(std::span<const int> node_of_rank);
    /// `ranks` ranks over `nodes` nodes that differ by at most one rank, the fuller ones first, in rank
    /// order.
    static NodeMap in_blocks(int ranks, int nodes);

    int count() const noexcept { return static_cast<int>(members_.size()); }
    int node_of(int rank) const noexcept { return node_of_[static_cast<std::size_t>(rank)]; }
    /// The ranks of a node, ascending.
    std::span<const int> members(int node) const noexcept { return members_[static_cast<std::size_t>(node)]; }
    /// The lowest rank of each node.
    std::span<const int> leaders() const noexcept { return leaders_; }
    /// Whether the ranks of every node follow each other without a gap, so that the results of nodes can be
    /// combined in rank order.
    bool in_rank_order() const noexcept { return in_rank_order_; }

private:
    std::vector<int> node_of_;
    std::vector<std::vector<int>> members_;
    std::vector<int> leaders_;
    bool in_rank_order_ = true;
};

}  // namespace tutti::collectives
