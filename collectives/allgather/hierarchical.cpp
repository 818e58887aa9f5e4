// Hierarchical allgather: a gather to the leader inside each node, an allgather of the nodes' blocks among
// the leaders, and a broadcast of all blocks inside each node.
//
// Source: Karonis and others, "Exploiting hierarchy in parallel computer networks to optimize collective
// operation performance", 2000.
// Cost: with m nodes the sum of the three phases, each with the algorithm that the rules choose for its ranks
// and sizes. Every block enters each node once: (m - 1) n bytes between nodes in all, in the messages of an
// allgather over m ranks. Inside, every rank receives n bytes from a rank of its node.
//
// Nodes 0 = {0, 1, 2}, 1 = {3, 4}, blocks a b c d e:
//   phase       0        1       2       3       4
//   gather      a b c    -> 0    -> 0    d e     -> 3
//   leaders     a..e                     a..e
//   broadcast   a..e     a..e    a..e    a..e    a..e
//
// Blocks travel in the order of nodes. If they do not lie in this order without gaps, every rank needs memory
// of n bytes for them and copies them to their places at the end.
//
// Restrictions: the node of each rank is known. Blocks may be unequal.
#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/hierarchy/hierarchy.hpp"
#include "collectives/hierarchy/packed_blocks.hpp"

namespace tutti::collectives {

namespace {

// Gathers the blocks of a node at its leader.
Task gather_inside(Hierarchy& hierarchy, std::span<const std::byte> own, std::span<std::byte> of_node,
                   const EqualBlocks<std::byte>&, PackedBlocks&)
{
    return gather(hierarchy.node(), own, of_node.data(), hierarchy.leader());
}

Task gather_inside(Hierarchy& hierarchy, std::span<const std::byte> own, std::span<std::byte> of_node,
                   const Blocks& all, PackedBlocks& places)
{
    for (const int rank : hierarchy.nodes().members(hierarchy.own_node()))
        places.add(all[rank].size());
    return gatherv(hierarchy.node(), own, places.in(of_node.data()), hierarchy.leader());
}

template <class BlocksOfRanks>
Task hierarchical(Group& group, const std::byte* own, BlocksOfRanks all)
{
    Hierarchy hierarchy(group, Hierarchy::kNoRoot);
    const NodeMap& nodes = hierarchy.nodes();
    const auto places = PackedBlocks::of_nodes(nodes, [&all](int rank) { return all[rank].size(); });
    const Run by_node(all, nodes.by_node());
    const std::span<std::byte> arriving = by_node.arriving();
    const Blocks of_nodes = places.in(arriving.data());
    const std::span<std::byte> of_node = of_nodes[hierarchy.own_node()];

    PackedBlocks inside;
    Task gathered = gather_inside(hierarchy, {own, all[group.rank()].size()}, of_node, all, inside);
    co_await gathered;
    if (hierarchy.is_leader()) {
        Task between = allgatherv(hierarchy.leaders(), of_node.data(), of_nodes);
        co_await between;
    }
    Task copied = broadcast(hierarchy.node(), arriving, hierarchy.leader());
    co_await copied;
    by_node.unpack();
}

}  // namespace

Task allgather_hierarchical(Group& group, const std::byte* own, std::span<std::byte> all)
{
    return hierarchical(group, own, equal_blocks(all, group.size()));
}

Task allgatherv_hierarchical(Group& group, const std::byte* own, Blocks all)
{
    return hierarchical(group, own, all);
}

}  // namespace tutti::collectives
