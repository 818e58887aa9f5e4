// All-to-all by lanes, which are the ranks at the same place on each node: what the ranks of a node have for
// one of another goes there as one message, which the rank of its lane sends from where it lies in their
// memory. What stays on a node goes straight.
//
// Source: Träff and Hunold, "Decomposing MPI collectives for exploiting multi-lane communication", 2020.
// Cost: with m nodes of k ranks p (m - 1) messages between nodes, of k n bytes, in place of p (p - k) of n
// bytes; inside nodes (k - 1) m of n bytes a rank, of which those for other nodes are copied only where a
// rank cannot read the other's memory.
//
// Nodes 0 = {0, 1}, 1 = {2, 3} (ab is the block from a to b):
//   phase      0               1               2               3
//   inside     01              10              23              32
//   shown      03 -> 1         12 -> 0         21 -> 3         30 -> 2
//   lanes      02 12 -> 2      03 13 -> 3      20 30 -> 0      21 31 -> 1
//
// Restrictions: equal blocks; it is known which rank is on which node. Where nodes have unequally many ranks
// there are no lanes, and blocks go flat.
#include <deque>
#include <vector>

#include "collectives/blocks.hpp"
#include "collectives/collectives.hpp"
#include "collectives/functions.hpp"
#include "collectives/hierarchy.hpp"

namespace tutti::collectives {

namespace {

using Column = Run<std::byte, EqualBlocks, std::span<const int>>;

/// What the ranks of this node have for the ranks of this lane, in the order of the nodes' distances.
class Shown {
public:
    Shown(Hierarchy& hierarchy, EqualBlocks<const std::byte> in) : hierarchy_(hierarchy), in_(in) {}

    /// Starts to show the other ranks of the node what is for their lanes, and to be shown what is for this
    /// one.
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

    /// Starts to send it, when it has come. To be kept until it is sent.
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

    /// Its ranks may go on.
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
