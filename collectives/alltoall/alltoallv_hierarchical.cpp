// Hierarchical all-to-all of unequal blocks: each rank of a node carries its node's blocks for some ranks of
// every other node, as one message to each of these; long blocks go directly.
//
// Source: the grid of Kalé, Kumar and Varadarajan, "A framework for collective personalized communication",
// 2003, with a row for each node: its ranks first exchange the blocks that then travel in their columns.
// Cost: with m nodes of k ranks p (m - 1) messages between nodes, each of the blocks of k ranks, in place of
// p (p - k), and one more for each long block. Inside a node each rank sends every other one three messages:
// the sizes of the blocks to carry, these blocks, and its block for that rank. A carried block travels once
// more, inside its node, and is copied up to four times; a rank needs memory for three times the blocks that
// it carries. So only blocks of up to 4 KiB are carried: longer ones cost more than the saved messages.
//
// No rank knows all sizes: a carrier learns those of its blocks from its node's ranks, the receiver knows its
// own, and both ends of a block know whether it is long.
//
// Nodes 0 = {0, 1, 2}, 1 = {3, 4}. The rank at place i of node x carries for the rank at place i + x of each
// other node, modulo its ranks (ab is the block from a to b; 13 and 40 are long):
//   phase      0          1              2              3                   4
//   inside     03 -> 1    14 -> 2        23 -> 1        31 -> 4             42 -> 3
//              04 -> 2                   24 stays       30, 32 stay         41 stays
//   between               03 23 -> 3     04 14 24 -> 4  30 -> 0, 32 42 -> 2 31 41 -> 1
//   straight   01 02      10 12, 13 -> 3 20 21          34                  43, 40 -> 0
//
// Restrictions: the node of each rank is known.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/hierarchy/hierarchy.hpp"
#include "collectives/hierarchy/packed_blocks.hpp"

namespace tutti::collectives {

namespace {

/// Number of ranks that exchange their straight blocks at a time.
constexpr int kStraightAtOnce = 64;
using CarriedBytes = std::uint32_t;

/// The carrier of each block, as one rank sees it.
class Routes {
public:
    Routes(const NodeMap& nodes, int rank) : nodes_(nodes), own_node_(nodes.node_of(rank))
    {
        const std::span<const int> own = nodes.members(own_node_);
        place_ = static_cast<std::size_t>(std::ranges::lower_bound(own, rank) - own.begin());
        first_.push_back(0);
        for (std::size_t carrier = 0; carrier < own.size(); ++carrier) {
            for (int node = 0; node < nodes.count(); ++node)
                if (node != own_node_)
                    add_column(node, carrier, own.size());
            first_.push_back(carried_.size());
        }
    }

    int own_node() const noexcept { return own_node_; }
    bool is_straight(int peer, std::size_t size_bytes) const noexcept
    {
        return nodes_.node_of(peer) == own_node_ || size_bytes > kLongestCarried;
    }
    /// The ranks of other nodes, by the place of their carrier on this node.
    std::span<const int> carried() const noexcept { return carried_; }
    std::span<const int> carried_by(std::size_t carrier) const noexcept
    {
        return carried().subspan(first_[carrier], first_[carrier + 1] - first_[carrier]);
    }
    std::span<const int> carried_by_own() const noexcept { return carried_by(place_); }
    /// The rank of another node that carries to this one.
    int carrier_from(int node) const noexcept
    {
        const std::span<const int> ranks = nodes_.members(node);
        return ranks[(place_ + static_cast<std::size_t>(own_node_)) % ranks.size()];
    }

private:
    void add_column(int node, std::size_t carrier, std::size_t carriers)
    {
        const std::span<const int> ranks = nodes_.members(node);
        const std::size_t turned = static_cast<std::size_t>(node) % carriers;
        for (std::size_t place = (carrier + carriers - turned) % carriers; place < ranks.size();
             place += carriers)
            carried_.push_back(ranks[place]);
    }

    const NodeMap& nodes_;
    int own_node_;
    std::size_t place_ = 0;
    std::vector<int> carried_;
    std::vector<std::size_t> first_;  // of each carrier, and the end
};

/// Sizes by rank, 0 for blocks that go directly.
std::vector<std::size_t> carried_sizes(const Routes& routes, std::span<const std::size_t> sizes_bytes)
{
    std::vector<std::size_t> carried(sizes_bytes.begin(), sizes_bytes.end());
    for (std::size_t peer = 0; peer < carried.size(); ++peer)
        if (routes.is_straight(static_cast<int>(peer), carried[peer]))
            carried[peer] = 0;
    return carried;
}

/// The blocks that this rank carries: those of every rank of its node for carried_by_own().
class CarriedBlocks {
public:
    CarriedBlocks(Hierarchy& hierarchy, const Routes& routes)
        : hierarchy_(hierarchy),
          routes_(routes),
          carriers_(static_cast<std::size_t>(hierarchy.node().size())),
          sizes_bytes_(carriers_ * routes.carried_by_own().size())
    {
    }

    /// Receives them from the ranks of the node. All of these call it, each with the blocks to be carried.
    Task fetch(ConstBlocks leaving)
    {
        std::vector<CarriedBytes> carried;
        for (const int rank : routes_.carried())
            carried.push_back(static_cast<CarriedBytes>(leaving[rank].size()));
        PackedBlocks sizes_out(carriers_);
        PackedBlocks sizes_in(carriers_);
        PackedBlocks blocks_out(carriers_);
        for (std::size_t carrier = 0; carrier < carriers_; ++carrier) {
            const std::span<const int> ranks = routes_.carried_by(carrier);
            std::size_t size_bytes = 0;
            for (const int rank : ranks)
                size_bytes += leaving[rank].size();
            sizes_out.add(ranks.size() * sizeof(CarriedBytes));
            sizes_in.add(routes_.carried_by_own().size() * sizeof(CarriedBytes));
            blocks_out.add(size_bytes);
        }
        Task sizes_exchanged =
            alltoallv(hierarchy_.node(), sizes_out.in(std::as_bytes(std::span(carried)).data()),
                      sizes_in.in(std::as_writable_bytes(std::span(sizes_bytes_)).data()));
        co_await sizes_exchanged;

        PackedBlocks blocks_in(carriers_);
        for (std::size_t from = 0; from < carriers_; ++from)
            blocks_in.add(bytes_from(from));
        const Run packed(leaving, routes_.carried());
        const Scratch fetched = Group::scratch(blocks_in.total_bytes());
        Task fetching =
            alltoallv(hierarchy_.node(), blocks_out.in(packed.packed().data()), blocks_in.in(fetched.data()));
        co_await fetching;
        sort(fetched);
    }

    /// Starts the sends to their destinations. The blocks live as long as this object.
    void send(Group& group, OperationList& operations) const
    {
        const std::byte* from = sorted_.data();
        for (std::size_t column = 0; column < routes_.carried_by_own().size(); ++column) {
            std::size_t size_bytes = 0;
            for (std::size_t rank = 0; rank < carriers_; ++rank)
                size_bytes += size_of(rank, column);
            operations.add(group.send(routes_.carried_by_own()[column], {from, size_bytes}));
            from += size_bytes;
        }
    }

private:
    std::size_t size_of(std::size_t rank, std::size_t column) const noexcept
    {
        return sizes_bytes_[rank * routes_.carried_by_own().size() + column];
    }
    std::size_t bytes_from(std::size_t rank) const noexcept
    {
        std::size_t size_bytes = 0;
        for (std::size_t column = 0; column < routes_.carried_by_own().size(); ++column)
            size_bytes += size_of(rank, column);
        return size_bytes;
    }
    /// Sorts them from the order of their sources into the order of their destinations.
    void sort(const Scratch& fetched)
    {
        std::vector<const std::byte*> next{fetched.data()};
        for (std::size_t rank = 0; rank < carriers_; ++rank)
            next.push_back(next.back() + bytes_from(rank));
        sorted_ = Group::scratch(fetched.bytes().size());
        std::byte* to = sorted_.data();
        for (std::size_t column = 0; column < routes_.carried_by_own().size(); ++column) {
            for (std::size_t rank = 0; rank < carriers_; ++rank) {
                const std::size_t size_bytes = size_of(rank, column);
                Group::copy({to, size_bytes}, {next[rank], size_bytes});
                to += size_bytes;
                next[rank] += size_bytes;
            }
        }
    }

    Hierarchy& hierarchy_;
    const Routes& routes_;
    std::size_t carriers_;
    std::vector<CarriedBytes> sizes_bytes_;  // by rank of the node, then by that of carried_by_own()
    Scratch sorted_;
};

/// Starts to exchange straight blocks with kStraightAtOnce ranks in each direction, from distance `first` on.
OperationList start_straight(Group& group, const Routes& routes, ConstBlocks in, Blocks out, int first)
{
    const int rank = group.rank();
    const int size = group.size();
    const int end = std::min(first + kStraightAtOnce, size);
    OperationList operations;
    for (int distance = first; distance < end; ++distance) {
        const int below = (rank - distance + size) % size;
        if (routes.is_straight(below, out[below].size()))
            operations.add(group.recv(below, out[below]));
    }
    for (int distance = first; distance < end; ++distance) {
        const int above = (rank + distance) % size;
        if (routes.is_straight(above, in[above].size()))
            operations.add(group.send(above, in[above]));
    }
    return operations;
}

}  // namespace

Task alltoallv_hierarchical(Group& group, ConstBlocks in, Blocks out)
{
    Hierarchy hierarchy(group, Hierarchy::kNoRoot);
    const NodeMap& nodes = hierarchy.nodes();
    const Routes routes(nodes, group.rank());
    const std::vector<std::size_t> leaving_bytes = carried_sizes(routes, in.sizes_bytes);
    const std::vector<std::size_t> arriving_bytes = carried_sizes(routes, out.sizes_bytes);
    const Blocks arriving{out.data, arriving_bytes, out.offsets_bytes};

    std::vector<Run<std::byte, UnequalBlocks, std::span<const int>>> runs;
    OperationList carrying;
    for (int node = 0; node < nodes.count(); ++node) {
        if (node != routes.own_node()) {
            runs.emplace_back(arriving, nodes.members(node));
            carrying.add(group.recv(routes.carrier_from(node), runs.back().arriving()));
        }
    }
    CarriedBlocks carried(hierarchy, routes);
    Task fetched = carried.fetch({in.data, leaving_bytes, in.offsets_bytes});
    co_await fetched;
    carried.send(group, carrying);
    OperationList straight = start_straight(group, routes, in, out, 1);
    Group::copy(out[group.rank()], in[group.rank()]);
    // First awaits the messages that always come: they detect ranks that give other sizes.
    co_await when_all(std::move(carrying));
    co_await when_all(std::move(straight));
    for (int first = 1 + kStraightAtOnce; first < group.size(); first += kStraightAtOnce)
        co_await when_all(start_straight(group, routes, in, out, first));
    for (const auto& run : runs)
        run.unpack();
}

}  // namespace tutti::collectives
