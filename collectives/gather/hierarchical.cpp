// Hierarchical gather: inside each node to its leader, then among the leaders; the root leads its own node.
//
// Source: Karonis and others, "Exploiting hierarchy in parallel computer networks to optimize collective
// operation performance", 2000.
// Cost: with m nodes that of a gather over the node's ranks inside each, then of one over m ranks between
// nodes, each with the algorithm that the rules choose for its ranks and sizes. Every block of another node
// than the root's travels between nodes at least once, with the other blocks of its node: m - 1 messages if
// the leaders' gather is flat. A leader needs memory for its node's blocks.
//
// Nodes 0 = {0, 1, 2}, 1 = {3, 4}, root 1, blocks a b c d e:
//   phase       0       1       2       3       4
//   inside      -> 1    a b c   -> 1    d e     -> 3
//   leaders             a..e            -> 1
//
// Blocks travel in the order of nodes. If the ranks of nodes are not consecutive, the root receives them in
// memory of n bytes and copies them to their places at the end.
//
// Unequal blocks, whose sizes only the root knows: the ranks of the root's node send to it directly; each
// other leader first learns its ranks' sizes (a gather of 8 bytes inside the node).
//
// Restrictions: the node of each rank is known.
#include <vector>

#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/hierarchy/hierarchy.hpp"
#include "collectives/hierarchy/packed_blocks.hpp"

namespace tutti::collectives {

namespace {

using GatheredRun = Run<std::byte, UnequalBlocks, std::span<const int>>;

Task gatherv_at_root(Group& group, std::span<const std::byte> own, Blocks all)
{
    const NodeMap& nodes = *group.placement().nodes;
    const int own_node = nodes.node_of(group.rank());
    std::vector<GatheredRun> runs;
    OperationList receives;
    for (int node = 0; node < nodes.count(); ++node) {
        if (node != own_node) {
            runs.emplace_back(all, nodes.members(node));
            receives.add(group.recv(nodes.members(node).front(), runs.back().arriving()));
        }
    }
    for (const int rank : nodes.members(own_node))
        if (rank != group.rank())
            receives.add(group.recv(rank, all[rank]));
    Group::copy(all[group.rank()], own);
    co_await when_all(std::move(receives));
    for (const GatheredRun& run : runs)
        run.unpack();
}

Task gatherv_at_others(Group& group, std::span<const std::byte> own, int root)
{
    Hierarchy hierarchy(group, Hierarchy::kNoRoot);
    PackedBlocks places;
    Task sizes = collect_sizes(hierarchy, own.size(), places);
    co_await sizes;
    const Scratch of_node = Group::scratch(places.total_bytes());
    Task inside = gatherv(hierarchy.node(), own, places.in(of_node.data()), hierarchy.leader());
    co_await inside;
    if (hierarchy.is_leader()) {
        Operation sent = group.send(root, of_node.bytes());
        co_await sent;
    }
}

Task gatherv_beside_root(Group& group, std::span<const std::byte> own, int root)
{
    Operation sent = group.send(root, own);
    co_await sent;
}

}  // namespace

Task gather_hierarchical(Group& group, std::span<const std::byte> own, std::byte* all, int root)
{
    Hierarchy hierarchy(group, root);
    const NodeMap& nodes = hierarchy.nodes();
    const auto places = PackedBlocks::of_nodes(nodes, [&own](int) { return own.size(); });
    const bool is_root = group.rank() == root;
    const bool straight = is_root && nodes.in_rank_order();
    Scratch memory;
    std::span<std::byte> of_node;
    std::byte* by_node = all;  // at the root
    if (is_root) {
        if (!straight) {
            memory = Group::scratch(places.total_bytes());
            by_node = memory.data();
        }
        of_node = places.in(by_node)[hierarchy.own_node()];
    } else if (hierarchy.is_leader()) {
        memory = Group::scratch(own.size() * static_cast<std::size_t>(hierarchy.node().size()));
        of_node = memory.bytes();
    }
    Task inside = gather(hierarchy.node(), own, of_node.data(), hierarchy.leader());
    co_await inside;
    if (hierarchy.is_leader()) {
        Task between = nodes.equal()
                           ? gather(hierarchy.leaders(), of_node, by_node, hierarchy.root_node())
                           : gatherv(hierarchy.leaders(), of_node, places.in(by_node), hierarchy.root_node());
        co_await between;
    }
    if (is_root && !straight) {
        const EqualBlocks<std::byte> from{by_node, own.size()};
        const EqualBlocks<std::byte> to{all, own.size()};
        for (int place = 0; place < group.size(); ++place)
            Group::copy(to[nodes.by_node()[static_cast<std::size_t>(place)]], from[place]);
    }
}

Task gatherv_hierarchical(Group& group, std::span<const std::byte> own, Blocks all, int root)
{
    if (group.rank() == root)
        return gatherv_at_root(group, own, all);
    const NodeMap& nodes = *group.placement().nodes;
    return nodes.node_of(group.rank()) == nodes.node_of(root) ? gatherv_beside_root(group, own, root)
                                                              : gatherv_at_others(group, own, root);
}

}  // namespace tutti::collectives
