// Hierarchical all-to-all: the leader of each node gathers all blocks of its ranks for other nodes, the
// leaders exchange them, and each scatters what has come among its ranks. What stays on a node goes straight.
//
// Source: Träff and Rougier, "MPI collectives and datatypes for hierarchical all-to-all communication", 2014.
// Cost: with m nodes of k ranks m (m - 1) messages between nodes, of k^2 n bytes, in place of size (size - k)
// of n bytes; inside each node those of a gather and a scatter of (size - k) n bytes a rank, and k (k - 1) of
// n bytes. A leader copies what arrives once, with more than two nodes what leaves too, and needs memory for
// two or three times k (size - k) n bytes: for blocks short enough for that to cost less than messages.
//
// Nodes 0 = {0, 1, 2}, 1 = {3, 4} (ab is the block from a to b):
//   phase      0                   1            2            3             4
//   gather     03 04 13 14 23 24   -> 0         -> 0         30 31 32 40.. -> 3
//   inside     01 02               10 12        20 21        34            43
//   leaders    30 40 31 41 ..  *)  waits        waits        03 13 23 04.. waits
//   scatter    30 40               31 41        32 42        03 13 23      04 14 24
// *) with those for each of its ranks put together.
//
// Blocks travel in the order of nodes. Where those of a rank for other nodes do not follow each other (the
// rank's own node lies between them, or ranks are dealt in turn) it puts them into that order before, and out
// of it after, in memory of their size.
//
// Restrictions: equal blocks; it is known which rank is on which node.
#include <vector>

#include "collectives/alltoall/alltoall.hpp"
#include "collectives/collectives.hpp"
#include "collectives/hierarchy.hpp"
#include "collectives/packed_blocks.hpp"

namespace tutti::collectives {

namespace {

/// What crosses from node to node, in the order of nodes: the ranks of all nodes but the own one.
std::vector<int> ranks_elsewhere(const NodeMap& nodes, int own_node)
{
    std::vector<int> ranks;
    ranks.reserve(nodes.by_node().size());
    for (int node = 0; node < nodes.count(); ++node) {
        if (node != own_node)
            ranks.insert(ranks.end(), nodes.members(node).begin(), nodes.members(node).end());
    }
    return ranks;
}

/// Starts what stays on the node.
OperationList start_inside(Group& node, std::span<const int> ranks, EqualBlocks<const std::byte> in,
                           EqualBlocks<std::byte> out)
{
    OperationList operations;
    for (int distance = 1; distance < node.size(); ++distance) {
        const int above = (node.rank() + distance) % node.size();
        const int below = (node.rank() - distance + node.size()) % node.size();
        operations.add(node.recv(below, out[ranks[static_cast<std::size_t>(below)]]));
        operations.add(node.send(above, in[ranks[static_cast<std::size_t>(above)]]));
    }
    return operations;
}

/// What the leader of a node does with the blocks of its ranks for others, each rank's in the order of nodes:
/// leaves in `rows` what has come for each.
Task exchange(Hierarchy& hierarchy, std::span<std::byte> rows, std::size_t block_bytes)
{
    const NodeMap& nodes = hierarchy.nodes();
    const auto own = static_cast<std::size_t>(hierarchy.node().size());
    const std::size_t row_bytes = rows.size() / own;
    const auto places = PackedBlocks::of_nodes(
        nodes, [&](int rank) { return nodes.node_of(rank) != hierarchy.own_node() ? own * block_bytes : 0; });
    // By node, by rank where it comes from, by rank where it goes to. Of one other node it is already.
    Scratch sorted;
    const std::byte* outgoing = rows.data();
    if (nodes.count() > 2) {
        sorted = Group::scratch(rows.size());
        outgoing = sorted.data();
        std::byte* to = sorted.data();
        std::size_t offset = 0;
        for (int node = 0; node < nodes.count(); ++node) {
            if (node == hierarchy.own_node())
                continue;
            const std::size_t bytes = nodes.members(node).size() * block_bytes;
            for (std::size_t rank = 0; rank < own; ++rank, to += bytes)
                Group::copy({to, bytes}, rows.subspan(rank * row_bytes + offset, bytes));
            offset += bytes;
        }
    }
    const Scratch arrived = Group::scratch(rows.size());
    Task between = alltoallv(hierarchy.leaders(), places.in(outgoing), places.in(arrived.data()));
    co_await between;
    const std::byte* from = arrived.data();
    for (std::size_t offset = 0; offset < row_bytes; offset += block_bytes) {
        for (std::size_t rank = 0; rank < own; ++rank, from += block_bytes)
            Group::copy(rows.subspan(rank * row_bytes + offset, block_bytes), {from, block_bytes});
    }
}

}  // namespace

Task alltoall_hierarchical(Group& group, const std::byte* in, std::span<std::byte> out)
{
    Hierarchy hierarchy(group, Hierarchy::kNoRoot);
    const NodeMap& nodes = hierarchy.nodes();
    const EqualBlocks<std::byte> to = equal_blocks(out, group.size());
    const EqualBlocks<const std::byte> from{in, to.block_bytes};
    const std::vector<int> elsewhere = ranks_elsewhere(nodes, hierarchy.own_node());
    const Run outgoing(from, std::span(elsewhere));
    const Run arriving(to, std::span(elsewhere));

    Scratch rows;
    if (hierarchy.is_leader())
        rows = Group::scratch(arriving.arriving().size() * static_cast<std::size_t>(hierarchy.node().size()));
    Task gathered = gather(hierarchy.node(), outgoing.packed(), rows.data(), hierarchy.leader());
    co_await gathered;
    OperationList inside = start_inside(hierarchy.node(), nodes.members(hierarchy.own_node()), from, to);
    if (hierarchy.is_leader()) {
        Task exchanged = exchange(hierarchy, rows.bytes(), to.block_bytes);
        co_await exchanged;
    }
    Task scattered = scatter(hierarchy.node(), rows.data(), arriving.arriving(), hierarchy.leader());
    co_await scattered;
    Group::copy(to[group.rank()], from[group.rank()]);
    arriving.unpack();
    co_await when_all(std::move(inside));
}

}  // namespace tutti::collectives
