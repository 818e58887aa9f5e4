// Hierarchical scatter: first among the leaders of nodes (the root leads its node), then inside each node.
//
// Source: Karonis and others, "Exploiting hierarchy in parallel computer networks to optimize collective
// operation performance", 2000.
// Cost: with m nodes that of a scatter over m ranks between nodes, then of one over the node's ranks inside
// each, each with the algorithm that the rules choose for its ranks and sizes. m - 1 messages between nodes
// if the leaders' scatter is flat. A leader needs memory for its node's blocks.
//
// Nodes 0 = {0, 1, 2}, 1 = {3, 4}, root 1, blocks a b c d e:
//   phase       0       1       2       3       4
//   leaders             -> 3            d e
//   inside      a       -> 0            -> 4    e
//                       -> 2    c       d
//
// Blocks travel in the order of nodes. If the ranks of nodes are not consecutive, the root first copies them
// into that order in memory of n bytes.
//
// Unequal blocks, whose sizes only the root knows: the root sends directly to the ranks of its node. Each
// other leader learns its ranks' sizes (a gather of 8 bytes inside the node) while its blocks are on their
// way.
//
// Restrictions: the node of each rank is known.
#include <vector>

#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/hierarchy/hierarchy.hpp"
#include "collectives/hierarchy/packed_blocks.hpp"

namespace tutti::collectives {

namespace {

using ScatteredRun = Run<const std::byte, UnequalBlocks, std::span<const int>>;

Task scatterv_at_root(Group& group, ConstBlocks all, std::span<std::byte> own)
{
    const NodeMap& nodes = *group.placement().nodes;
    const int own_node = nodes.node_of(group.rank());
    std::vector<ScatteredRun> runs;
    OperationList sends;
    for (int node = 0; node < nodes.count(); ++node) {
        if (node != own_node) {
            runs.emplace_back(all, nodes.members(node));
            sends.add(group.send(nodes.members(node).front(), runs.back().packed()));
        }
    }
    for (const int rank : nodes.members(own_node))
        if (rank != group.rank())
            sends.add(group.send(rank, all[rank]));
    Group::copy(own, all[group.rank()]);
    co_await when_all(std::move(sends));
}

Task scatterv_at_others(Group& group, std::span<std::byte> own, int root)
{
    Hierarchy hierarchy(group, Hierarchy::kNoRoot);
    PackedBlocks places;
    Task sizes = collect_sizes(hierarchy, own.size(), places);
    co_await sizes;
    const Scratch of_node = Group::scratch(places.total_bytes());
    if (hierarchy.is_leader()) {
        Operation received = group.recv(root, of_node.bytes());
        co_await received;
    }
    const std::byte* const data = of_node.data();
    Task inside = scatterv(hierarchy.node(), places.in(data), own, hierarchy.leader());
    co_await inside;
}

Task scatterv_beside_root(Group& group, std::span<std::byte> own, int root)
{
    Operation received = group.recv(root, own);
    co_await received;
}

}  // namespace

Task scatter_hierarchical(Group& group, const std::byte* all, std::span<std::byte> own, int root)
{
    Hierarchy hierarchy(group, root);
    const NodeMap& nodes = hierarchy.nodes();
    const auto places = PackedBlocks::of_nodes(nodes, [&own](int) { return own.size(); });
    Scratch memory;
    std::span<std::byte> of_node;
    const std::byte* by_node = all;  // at the root
    if (group.rank() == root) {
        if (!nodes.in_rank_order()) {
            memory = Group::scratch(places.total_bytes());
            by_node = memory.data();
            const EqualBlocks<const std::byte> from{all, own.size()};
            const EqualBlocks<std::byte> to{memory.data(), own.size()};
            for (int place = 0; place < group.size(); ++place)
                Group::copy(to[place], from[nodes.by_node()[static_cast<std::size_t>(place)]]);
        }
        // The node's blocks are already at their place and are not written to.
        of_node = places.in(const_cast<std::byte*>(by_node))[hierarchy.own_node()];
    } else if (hierarchy.is_leader()) {
        memory = Group::scratch(own.size() * static_cast<std::size_t>(hierarchy.node().size()));
        of_node = memory.bytes();
    }
    if (hierarchy.is_leader()) {
        Task between =
            nodes.equal() ? scatter(hierarchy.leaders(), by_node, of_node, hierarchy.root_node())
                          : scatterv(hierarchy.leaders(), places.in(by_node), of_node, hierarchy.root_node());
        co_await between;
    }
    Task inside = scatter(hierarchy.node(), of_node.data(), own, hierarchy.leader());
    co_await inside;
}

Task scatterv_hierarchical(Group& group, ConstBlocks all, std::span<std::byte> own, int root)
{
    if (group.rank() == root)
        return scatterv_at_root(group, all, own);
    const NodeMap& nodes = *group.placement().nodes;
    return nodes.node_of(group.rank()) == nodes.node_of(root) ? scatterv_beside_root(group, own, root)
                                                              : scatterv_at_others(group, own, root);
}

}  // namespace tutti::collectives
