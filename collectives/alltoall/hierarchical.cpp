// Hierarchical all-to-all: the leader of each node gathers all blocks of its ranks, the leaders exchange what
// goes from node to node, and each scatters what has come among its ranks.
//
// Source: Träff and Rougier, "MPI collectives and datatypes for hierarchical all-to-all communication", 2014.
// Cost: with m nodes of k ranks m (m - 1) messages between nodes, of k^2 n bytes, in place of size (size - k)
// of n bytes; that of a gather and a scatter of size n bytes a rank inside each node. A leader copies all its
// node's blocks twice, and needs memory for three times k size n bytes: for short blocks.
//
// Nodes 0 = {0, 1}, 1 = {2} (ab is the block from a to b):
//   phase      0                        1            2
//   gather     00 01 02 10 11 12        -> 0         20 21 22
//   leaders    00 10 20 01 11 21 *)     waits        02 12 22
//   scatter    00 10 20                 01 11 21     02 12 22
// *) with those for each of its ranks put together.
//
// Blocks travel in the order of nodes. Where the ranks of nodes do not follow each other, every rank puts its
// blocks into that order before, and out of it after, in memory of their size.
//
// Restrictions: equal blocks; it is known which rank is on which node.
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/collectives.hpp"
#include "collectives/hierarchy.hpp"
#include "collectives/packed_blocks.hpp"

namespace tutti::collectives {

namespace {

/// What the leader of a node of `ranks` ranks does with the blocks of its ranks, each rank's in the order of
/// nodes: leaves in `rows` what has come for each.
Task exchange(Hierarchy& hierarchy, std::span<std::byte> rows, std::size_t block_bytes)
{
    const NodeMap& nodes = hierarchy.nodes();
    const auto own = static_cast<std::size_t>(hierarchy.node().size());
    const std::size_t all = nodes.by_node().size();
    const auto places = PackedBlocks::of_nodes(nodes, [&](int) { return own * block_bytes; });
    const Scratch sorted = Group::scratch(rows.size());
    std::byte* to = sorted.data();
    for (int node = 0; node < nodes.count(); ++node) {
        const std::size_t bytes = nodes.members(node).size() * block_bytes;
        for (std::size_t rank = 0; rank < own; ++rank) {
            Group::copy({to, bytes},
                        {rows.data() + (rank * all + nodes.place_of(node)) * block_bytes, bytes});
            to += bytes;
        }
    }
    // By node and rank where it comes from, then by rank of this node.
    const Scratch arrived = Group::scratch(rows.size());
    const std::byte* const outgoing = sorted.data();
    Task between = alltoallv(hierarchy.leaders(), places.in(outgoing), places.in(arrived.data()));
    co_await between;
    for (std::size_t rank = 0; rank < own; ++rank) {
        for (std::size_t from = 0; from < all; ++from)
            Group::copy({rows.data() + (rank * all + from) * block_bytes, block_bytes},
                        {arrived.data() + (from * own + rank) * block_bytes, block_bytes});
    }
}

}  // namespace

Task alltoall_hierarchical(Group& group, const std::byte* in, std::span<std::byte> out)
{
    Hierarchy hierarchy(group, Hierarchy::kNoRoot);
    const EqualBlocks<std::byte> blocks = equal_blocks(out, group.size());
    const std::span<const int> order = hierarchy.nodes().by_node();
    const Run outgoing(EqualBlocks<const std::byte>{in, blocks.block_bytes}, order);
    const Run arriving(blocks, order);

    Scratch rows;
    if (hierarchy.is_leader())
        rows = Group::scratch(out.size() * static_cast<std::size_t>(hierarchy.node().size()));
    Task gathered = gather(hierarchy.node(), outgoing.packed(), rows.data(), hierarchy.leader());
    co_await gathered;
    if (hierarchy.is_leader()) {
        Task exchanged = exchange(hierarchy, rows.bytes(), blocks.block_bytes);
        co_await exchanged;
    }
    Task scattered = scatter(hierarchy.node(), rows.data(), arriving.arriving(), hierarchy.leader());
    co_await scattered;
    arriving.unpack();
}

}  // namespace tutti::collectives
