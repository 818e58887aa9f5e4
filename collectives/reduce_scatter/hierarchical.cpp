// Hierarchical reduce-scatter: a reduce to the leader inside each node, a reduce-scatter of the nodes' blocks
// among the leaders, and a scatter inside each node.
//
// Source: textbook; composed as in Karonis and others, "Exploiting hierarchy in parallel computer networks to
// optimize collective operation performance", 2000.
// Cost: with m nodes the sum of the three phases, each with the algorithm that the rules choose for its ranks
// and sizes. Between nodes only the messages of a reduce-scatter over m ranks, (m - 1) n bytes in all. A
// leader needs memory for 2 n bytes.
//
// Nodes 0 = {0, 1, 2}, 1 = {3, 4}, operands a b c d e, each of blocks 0 to 4:
//   phase      0               1       2       3               4
//   reduce     abc, 0 to 4     -> 0    -> 0    de, 0 to 4      -> 3
//   leaders    abcde, 0 to 2                   abcde, 3 to 4
//   scatter    0               1       2       3               4
//
// If the ranks of nodes are not consecutive, a leader first copies the blocks into the order of nodes.
//
// Restrictions: the node of each rank is known; for operators that do not commute the ranks of each node are
// consecutive. Blocks may be unequal.
#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/hierarchy/hierarchy.hpp"
#include "collectives/hierarchy/packed_blocks.hpp"

namespace tutti::collectives {

namespace {

/// A block for each node: the elements of its ranks.
Partition partition_of_nodes(const NodeMap& nodes, const Partition& blocks)
{
    std::vector<std::size_t> counts;
    for (int node = 0; node < nodes.count(); ++node) {
        std::size_t count = 0;
        for (const int rank : nodes.members(node))
            count += blocks[rank].count;
        counts.push_back(count);
    }
    return Partition::of_counts(counts);
}

void put_in_order_of_nodes(const NodeMap& nodes, const Partition& blocks, ConstBuffer from, std::byte* to)
{
    for (const int rank : nodes.by_node()) {
        const std::span<const std::byte> block = from.bytes(blocks[rank]);
        Group::copy({to, block.size()}, block);
        to += block.size();
    }
}

}  // namespace

Task reduce_scatter_hierarchical(Group& group, const std::byte* in, Partition blocks, Buffer out, ReduceOp op)
{
    Hierarchy hierarchy(group, Hierarchy::kNoRoot);
    const NodeMap& nodes = hierarchy.nodes();
    const std::size_t element_bytes = out.element_bytes;
    Buffer all{nullptr, blocks.count(), element_bytes};
    Scratch memory;
    PackedBlocks places;
    if (hierarchy.is_leader()) {
        memory = Group::scratch(all.size_bytes());
        all.data = memory.data();
        for (const int rank : nodes.members(hierarchy.own_node()))
            places.add(blocks[rank].count * element_bytes);
    }
    Task inside = reduce(hierarchy.node(), in, all, hierarchy.leader(), op);
    co_await inside;
    Scratch of_node;
    if (hierarchy.is_leader()) {
        if (!nodes.in_rank_order()) {
            Scratch sorted = Group::scratch(all.size_bytes());
            put_in_order_of_nodes(nodes, blocks, {all.data, element_bytes}, sorted.data());
            memory = std::move(sorted);
        }
        of_node = Group::scratch(places.total_bytes());
        const Buffer own{of_node.data(), places.total_bytes() / element_bytes, element_bytes};
        Task between =
            reduce_scatter(hierarchy.leaders(), memory.data(), partition_of_nodes(nodes, blocks), own, op);
        co_await between;
    }
    const std::byte* const data = of_node.data();
    Task scattered = scatterv(hierarchy.node(), places.in(data), out.bytes(), hierarchy.leader());
    co_await scattered;
}

}  // namespace tutti::collectives
