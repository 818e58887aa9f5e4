// Hierarchical all-to-all: the leader of each node sends the blocks of all its ranks for another node as one
// message, from their own memory, and gives the arriving blocks to its ranks. Blocks inside a node go
// directly.
//
// Source: Träff and Rougier, "MPI collectives and datatypes for hierarchical all-to-all communication", 2014.
// Cost: with m nodes of k ranks m (m - 1) messages between nodes, of k^2 n bytes, in place of size (size - k)
// of n bytes; inside each node k - 1 messages to the leader and a scatter, of (size - k) n bytes a rank, and
// k (k - 1) of n bytes. Leaving blocks are not copied if the leader can read its ranks' memory. The leader
// copies its own arriving blocks, and short ones once more. A copy of a long block costs more than a message:
// long blocks are sent on one by one in place of the scatter: (k - 1) (size - k) messages of n bytes. A
// leader needs memory for k (size - k) n bytes, twice for short blocks, and once more if it cannot read its
// ranks' memory.
//
// Nodes 0 = {0, 1, 2}, 1 = {3, 4} (ab is the block from a to b):
//   phase      0                   1            2            3             4
//   inside     01 02               10 12        20 21        34            43
//   shown      13 14 23 24         -> 0         -> 0         40 41 42      -> 3
//   leaders    30 31 32 40 ..  *)  waits        waits        03 04 13 ..   waits
//   hand on    30 40               31 41        32 42        03 13 23      04 14 24
// *) then short blocks are put together for each of its ranks.
//
// Blocks travel in the order of nodes. If a rank's blocks for other nodes are not contiguous (its own node
// lies between them, or ranks are dealt in turn), it copies them into that order before, and back after, in
// memory of their size.
//
// Restrictions: equal blocks; the node of each rank is known.
#include <algorithm>
#include <deque>
#include <vector>

#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/framework/rank_blocks.hpp"
#include "collectives/hierarchy/hierarchy.hpp"

namespace tutti::collectives {

namespace {

// From this size on each block is sent on by itself.
constexpr std::size_t kApartFromBytes = 4u << 10;
// Number of nodes with whose leaders blocks are exchanged at a time.
constexpr int kNodesAtOnce = 64;

/// The ranks of all nodes but this one, in the order of nodes.
std::vector<int> ranks_of_other_nodes(const NodeMap& nodes, int own_node)
{
    std::vector<int> ranks;
    ranks.reserve(nodes.by_node().size());
    for (int node = 0; node < nodes.count(); ++node)
        if (node != own_node)
            ranks.insert(ranks.end(), nodes.members(node).begin(), nodes.members(node).end());
    return ranks;
}

/// Starts to exchange blocks with the leaders of kNodesAtOnce nodes in each direction, from distance `first`
/// on. `rows` has the blocks of each rank of this node for other nodes, in the order of nodes, each in memory
/// of its own; `parts` lives until all are exchanged. `arrived` receives the blocks of each rank of the other
/// nodes, in their order, for each rank of this one.
OperationList start_exchange(Hierarchy& hierarchy, Parts rows, std::span<const std::size_t> offsets_bytes,
                             std::byte* arrived, std::vector<std::span<const std::byte>>& parts, int first)
{
    Group& leaders = hierarchy.leaders();
    const int nodes = leaders.size();
    const int end = std::min(first + kNodesAtOnce, nodes);
    const auto size_bytes = [&](std::size_t node) { return offsets_bytes[node + 1] - offsets_bytes[node]; };
    OperationList operations;
    parts.clear();
    parts.reserve(rows.size() * static_cast<std::size_t>(end - first));
    for (int distance = first; distance < end; ++distance) {
        const int above = (leaders.rank() + distance) % nodes;
        const auto node = static_cast<std::size_t>(above);
        for (const std::span<const std::byte> row : rows)
            parts.push_back(row.subspan(offsets_bytes[node], size_bytes(node)));
        operations.add(leaders.send_parts(above, Parts(parts).last(rows.size())));
    }
    for (int distance = first; distance < end; ++distance) {
        const int below = (leaders.rank() - distance + nodes) % nodes;
        const auto node = static_cast<std::size_t>(below);
        operations.add(leaders.recv(
            below, {arrived + rows.size() * offsets_bytes[node], rows.size() * size_bytes(node)}));
    }
    return operations;
}

/// Sends the blocks of all ranks of the node from their memory; the ranks continue when this ends.
Task exchange(Hierarchy& hierarchy, std::span<const std::byte> own_row, std::byte* arrived,
              std::size_t block_bytes)
{
    const NodeMap& nodes = hierarchy.nodes();
    Group& node = hierarchy.node();
    std::deque<View> views;
    std::vector<std::span<const std::byte>> rows;
    std::vector<std::span<const std::byte>> parts;
    OperationList coming;
    for (int rank = 1; rank < node.size(); ++rank)
        coming.add(node.recv_view(rank, views.emplace_back(own_row.size())));
    co_await when_all(std::move(coming));
    rows.reserve(1 + views.size());
    rows.push_back(own_row);
    for (const View& view : views)
        rows.push_back(view.bytes());

    std::vector<std::size_t> offsets_bytes;
    offsets_bytes.reserve(static_cast<std::size_t>(nodes.count()) + 1);
    offsets_bytes.push_back(0);
    for (int other = 0; other < nodes.count(); ++other)
        offsets_bytes.push_back(offsets_bytes.back() + (other != hierarchy.own_node()
                                                            ? nodes.members(other).size() * block_bytes
                                                            : 0));
    for (int first = 1; first < nodes.count(); first += kNodesAtOnce)
        co_await when_all(start_exchange(hierarchy, rows, offsets_bytes, arrived, parts, first));
}

/// Long blocks: each goes to its rank directly from the memory where it arrived.
OperationList start_handing_on(Hierarchy& hierarchy, const std::byte* arrived, std::span<const int> sources,
                               EqualBlocks<std::byte> out)
{
    Group& node = hierarchy.node();
    OperationList operations;
    for (const int source : sources) {
        if (!hierarchy.is_leader()) {
            operations.add(node.recv(hierarchy.leader(), out[source]));
            continue;
        }
        for (int rank = 0; rank < node.size(); ++rank, arrived += out.block_bytes) {
            const std::span<const std::byte> block{arrived, out.block_bytes};
            if (rank == hierarchy.leader())
                Group::copy(out[source], block);
            else
                operations.add(node.send(rank, block));
        }
    }
    return operations;
}

/// Short blocks: those for each rank are put together and scattered.
Task scatter_rows(Hierarchy& hierarchy, std::span<const std::byte> arrived, std::span<const int> sources,
                  EqualBlocks<std::byte> out)
{
    Group& node = hierarchy.node();
    const Run arriving(out, sources);
    const Scratch sorted = Group::scratch(arrived.size());
    if (hierarchy.is_leader()) {
        const std::span<std::byte> rows = sorted.bytes();
        const std::byte* block = arrived.data();
        const std::size_t row_bytes = arriving.arriving().size();
        for (std::size_t offset = 0; offset < row_bytes; offset += out.block_bytes)
            for (std::size_t row = 0; row < rows.size(); row += row_bytes, block += out.block_bytes)
                Group::copy(rows.subspan(row + offset, out.block_bytes), {block, out.block_bytes});
    }
    Task scattered = scatter(node, sorted.data(), arriving.arriving(), hierarchy.leader());
    co_await scattered;
    arriving.unpack();
}

}  // namespace

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

Task alltoall_hierarchical(Group& group, const std::byte* in, std::span<std::byte> out)
{
    Hierarchy hierarchy(group, Hierarchy::kNoRoot);
    const NodeMap& nodes = hierarchy.nodes();
    const EqualBlocks<std::byte> to = equal_blocks(out, group.size());
    const EqualBlocks<const std::byte> from{in, to.block_bytes};
    const std::vector<int> others = ranks_of_other_nodes(nodes, hierarchy.own_node());
    OperationList inside = start_inside(hierarchy.node(), nodes.members(hierarchy.own_node()), from, to);
    Group::copy(to[group.rank()], from[group.rank()]);

    const Run outgoing(from, std::span(others));
    Scratch arrived;
    Operation sent;
    if (hierarchy.is_leader()) {
        const auto own = static_cast<std::size_t>(hierarchy.node().size());
        arrived = Group::scratch(own * others.size() * to.block_bytes);
        Task exchanged = exchange(hierarchy, outgoing.packed(), arrived.data(), to.block_bytes);
        co_await exchanged;
    } else {
        sent = hierarchy.node().send(hierarchy.leader(), outgoing.packed());
    }
    if (to.block_bytes >= kApartFromBytes) {
        co_await when_all(start_handing_on(hierarchy, arrived.data(), others, to));
    } else {
        Task scattered = scatter_rows(hierarchy, arrived.bytes(), others, to);
        co_await scattered;
    }
    inside.add(std::move(sent));
    co_await when_all(std::move(inside));
}

}  // namespace tutti::collectives
