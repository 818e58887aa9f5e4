// Hierarchical allgather: a gather to the leader inside each node, an allgather of the nodes' blocks among
// the leaders, and a broadcast of all blocks inside each node.
//
// Source: Karonis and others, "Exploiting hierarchy in parallel computer networks to optimize collective
// operation performance", 2000.
// Cost: with m nodes that of the three phases, each with the algorithm that the rules give for its ranks and
// sizes. Every block goes into each node once: (m - 1) n bytes between nodes in all, in the messages of an
// allgather over m ranks. Inside, every rank receives n bytes from its leader or another rank of the node.
//
// Nodes 0 = {0, 1, 2}, 1 = {3, 4}, blocks a b c d e:
//   phase       0        1       2       3       4
//   gather      a b c    -> 0    -> 0    d e     -> 3
//   leaders     a..e                     a..e
//   broadcast   a..e     a..e    a..e    a..e    a..e
//
// Where the ranks of a node do not follow each other, blocks travel in the order of nodes, in memory of n
// bytes that every rank then needs, and are put in their places at the end.
//
// Restrictions: equal blocks; it is known which rank is on which node.
#include <vector>

#include "collectives/allgather/allgather.hpp"
#include "collectives/collectives.hpp"
#include "collectives/hierarchy.hpp"

namespace tutti::collectives {

namespace {

/// The blocks of each node, in the order of nodes, without gaps.
struct NodeBlocks {
    NodeBlocks(const NodeMap& nodes, std::size_t block_bytes)
    {
        std::size_t end = 0;
        for (int node = 0; node < nodes.count(); ++node) {
            offsets_bytes.push_back(end);
            sizes_bytes.push_back(nodes.members(node).size() * block_bytes);
            end += sizes_bytes.back();
        }
    }

    std::vector<std::size_t> sizes_bytes;
    std::vector<std::size_t> offsets_bytes;
};

}  // namespace

Task allgather_hierarchical(Group& group, const std::byte* own, std::span<std::byte> all)
{
    Hierarchy hierarchy(group);
    const NodeMap& nodes = hierarchy.nodes();
    const std::size_t block_bytes = all.size() / static_cast<std::size_t>(group.size());
    const NodeBlocks places(nodes, block_bytes);
    const bool in_place = nodes.in_rank_order();
    const Scratch memory = in_place ? Scratch() : Group::scratch(all.size());
    const std::span<std::byte> by_node = in_place ? all : memory.bytes();
    const Blocks of_nodes{by_node.data(), places.sizes_bytes, places.offsets_bytes};
    const std::span<std::byte> of_node = of_nodes[nodes.node_of(group.rank())];

    Task gathered = gather(hierarchy.node(), {own, block_bytes}, of_node.data(), hierarchy.leader());
    co_await gathered;
    if (hierarchy.is_leader()) {
        Task between = allgatherv(hierarchy.leaders(), of_node.data(), of_nodes);
        co_await between;
    }
    Task copied = broadcast(hierarchy.node(), by_node, hierarchy.leader());
    co_await copied;
    if (in_place) {
        co_return;
    }
    const EqualBlocks<std::byte> by_rank = equal_blocks(all, group.size());
    std::size_t offset = 0;
    for (int node = 0; node < nodes.count(); ++node) {
        for (const int rank : nodes.members(node)) {
            Group::copy(by_rank[rank], by_node.subspan(offset, block_bytes));
            offset += block_bytes;
        }
    }
}

}  // namespace tutti::collectives
