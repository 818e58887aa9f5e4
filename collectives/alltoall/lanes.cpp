// All-to-all by lanes, which are the ranks at the same place on each node: all blocks of a node for one rank
// of another node travel as one message, sent by the rank of its lane from the memory of their ranks. Blocks
// inside a node go directly.
//
// Source: Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane communication", 2020.
// Cost: with m nodes of k ranks p (m - 1) messages between nodes, of k n bytes, in place of p (p - k) of n
// bytes; inside nodes (k - 1) m of n bytes a rank, of which those for other nodes are copied only if a rank
// cannot read the other's memory.
//
// Nodes 0 = {0, 1}, 1 = {2, 3} (ab is the block from a to b):
//   phase      0               1               2               3
//   inside     01              10              23              32
//   shown      03 -> 1         12 -> 0         21 -> 3         30 -> 2
//   lanes      02 12 -> 2      03 13 -> 3      20 30 -> 0      21 31 -> 1
//
// Restrictions: equal blocks; the node of each rank is known. If nodes have unequally many ranks there are no
// lanes, and the flat algorithm runs.
#include <deque>
#include <vector>

#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/framework/rank_blocks.hpp"
#include "collectives/hierarchy/hierarchy.hpp"

namespace tutti::collectives {

namespace {

using Column = Run<std::byte, EqualBlocks, std::span<const int>>;

/// The blocks of this node's ranks for the ranks of this lane, in the order of the nodes' distances.
class Shown {
public:
    Shown(Hierarchy& hierarchy, EqualBlocks<const std::byte> in) : hierarchy_(hierarchy), in_(in) {}

    /// Starts to show the other ranks of the node the blocks for their lanes, and to view those for this
    /// lane.
    void start(OperationList& showing, OperationList& coming)
    {
        Group& node = hierarchy_.node();
        for (int distance = 1; distance < hierarchy_.nodes().count(); ++distance) {
            const auto above = node_above(distance);
            for (int rank = 0; rank < node.size(); ++rank) {
                if (rank == node.rank())
                    continue;
                showing.add(node.send(rank, in_[above[static_cast<std::size_t>(rank)]]));
                coming.add(node.recv_view(rank, views_.emplace_back(in_.block_bytes)));
            }
        }
    }

    /// Starts to send the viewed blocks. Keep this object until they are sent.
    OperationList send(Group& group)
    {
        Group& node = hierarchy_.node();
        const int count = hierarchy_.nodes().count();
        const auto ranks = static_cast<std::size_t>(node.size());
        parts_.reserve(static_cast<std::size_t>(count - 1) * ranks);
        auto view = views_.begin();
        OperationList sends;
        for (int distance = 1; distance < count; ++distance) {
            const int peer = node_above(distance)[static_cast<std::size_t>(node.rank())];
            for (int rank = 0; rank < node.size(); ++rank)
                parts_.push_back(rank == node.rank() ? in_[peer] : (view++)->bytes());
            sends.add(group.send_parts(peer, Parts(parts_).last(ranks)));
        }
        return sends;
    }

    /// Lets their ranks continue.
    void release() { views_.clear(); }

private:
    std::span<const int> node_above(int distance) const
    {
        const NodeMap& nodes = hierarchy_.nodes();
        return nodes.members((hierarchy_.own_node() + distance) % nodes.count());
    }

    Hierarchy& hierarchy_;
    EqualBlocks<const std::byte> in_;
    std::deque<View> views_;
    std::vector<std::span<const std::byte>> parts_;
};

}  // namespace

Task alltoall_lanes(Group& group, const std::byte* in, std::span<std::byte> out)
{
    Hierarchy hierarchy(group, Hierarchy::kNoRoot);
    const NodeMap& nodes = hierarchy.nodes();
    if (!nodes.equal()) {
        Task flat = alltoall_flat(group, in, out);
        co_await flat;
        co_return;
    }
    const EqualBlocks<std::byte> to = equal_blocks(out, group.size());
    const EqualBlocks<const std::byte> from{in, to.block_bytes};
    const auto place = static_cast<std::size_t>(hierarchy.node().rank());

    std::deque<Column> columns;
    OperationList arriving;
    for (int distance = 1; distance < nodes.count(); ++distance) {
        const auto below = nodes.members((hierarchy.own_node() - distance + nodes.count()) % nodes.count());
        arriving.add(group.recv(below[place], columns.emplace_back(to, below).arriving()));
    }
    OperationList inside = start_inside(hierarchy.node(), nodes.members(hierarchy.own_node()), from, to);
    Shown shown(hierarchy, from);
    OperationList coming;  // ends before the views that it fills
    shown.start(inside, coming);
    Group::copy(to[group.rank()], from[group.rank()]);

    co_await when_all(std::move(coming));
    co_await when_all(shown.send(group));
    shown.release();
    co_await when_all(std::move(arriving));
    for (const Column& column : columns)
        column.unpack();
    co_await when_all(std::move(inside));
}

}  // namespace tutti::collectives
