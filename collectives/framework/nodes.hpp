// NodeMap: the node of each rank of a group.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tutti::collectives {

/// Nodes are numbered in the order of their lowest ranks, so rank 0 is on node 0. Made once for a group.
class NodeMap {
public:
    /// `node_of_rank`: any number for each rank, equal for ranks of one node. Throws std::bad_alloc.
    explicit NodeMap(std::span<const int> node_of_rank);
    /// `ranks` ranks on `nodes` nodes, in rank order; node sizes differ by at most one rank, larger ones
    /// first.
    static NodeMap in_blocks(int ranks, int nodes);

    int count() const noexcept { return static_cast<int>(leaders_.size()); }
    int node_of(int rank) const noexcept { return node_of_[static_cast<std::size_t>(rank)]; }
    /// The ranks of a node, in ascending order.
    std::span<const int> members(int node) const noexcept
    {
        const auto index = static_cast<std::size_t>(node);
        return std::span(by_node_).subspan(first_[index], first_[index + 1] - first_[index]);
    }
    /// All ranks in the order of nodes: the members of node 0, those of node 1, ...
    std::span<const int> by_node() const noexcept { return by_node_; }
    /// The place in by_node() of a node's first member; for count(), the end.
    std::size_t place_of(int node) const noexcept { return first_[static_cast<std::size_t>(node)]; }
    /// Whether all nodes have equally many ranks.
    bool equal() const noexcept { return equal_; }
    /// The lowest rank of each node.
    std::span<const int> leaders() const noexcept { return leaders_; }
    /// Whether the ranks of every node are consecutive, so that by_node() is in rank order and the results of
    /// nodes can be combined in it.
    bool in_rank_order() const noexcept { return in_rank_order_; }

private:
    std::vector<int> node_of_;
    std::vector<int> by_node_;
    std::vector<std::size_t> first_;
    std::vector<int> leaders_;
    bool in_rank_order_ = true;
    bool equal_ = true;
};

}  // namespace tutti::collectives
