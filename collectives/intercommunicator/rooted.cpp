// The collectives of intercommunicators with a root. The data goes from the root to the other group's leader
// and then through its group, or the other way round. Long blocks, and blocks of unequal size, go directly
// between the root and each rank: the leader needs no memory for all of them.
//
// Cost: one message between root and leader, and one collective of the leader's group; gatherv and scatterv:
// a message for each rank of the group.
#include <type_traits>

#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/intercommunicator/sides.hpp"

namespace tutti::collectives::inter {

namespace {

// The root as a rank of both groups, for those who know it.
int root_of(const Groups& groups, int root)
{
    const bool in_first = groups.both.rank() < groups.first_size;
    return root == kRootHere     ? groups.both.rank()
           : root == kRootBeside ? -1
                                 : root + (in_first ? groups.first_size : 0);
}

void announce(const Groups& groups, CallKind kind, int root, std::size_t size_bytes = 0,
              std::uint16_t operation = 0)
{
    groups.both.announce({kind, root_of(groups, root), size_bytes, operation});
}

bool goes_by_leader(std::size_t block_bytes)
{
    return block_bytes <= kLongestCarried;
}

// Receives a block from each rank of the other group, or sends it one if blocks are constant.
template <class BlocksOfRanks>
Task at_root(Groups groups, BlocksOfRanks blocks)
{
    const Sides sides(groups);
    OperationList operations;
    for (int rank = 0; rank < sides.remote_size(); ++rank) {
        const auto block = blocks[rank];
        if constexpr (std::is_const_v<typename decltype(block)::element_type>)
            operations.add(groups.both.send(sides.remote(rank), block));
        else
            operations.add(groups.both.recv(sides.remote(rank), block));
    }
    auto all = when_all(std::move(operations));
    co_await all;
}

Task send_to(Group& both, int peer, std::span<const std::byte> data)
{
    Operation sent = both.send(peer, data);
    co_await sent;
}

Task recv_from(Group& both, int peer, std::span<std::byte> data)
{
    Operation received = both.recv(peer, data);
    co_await received;
}

Task nothing()
{
    co_return;
}

Task broadcast_here(Groups groups, std::span<std::byte> data, int root)
{
    Sides sides(groups);
    if (sides.leads()) {
        Operation received = sides.both().recv(sides.remote(root), data);
        co_await received;
    }
    Task spread = collectives::broadcast(sides.own(), data, 0);
    co_await spread;
}

Task reduce_here(Groups groups, const std::byte* in, Buffer out, int root, ReduceOp op)
{
    Sides sides(groups);
    const Scratch combined = Group::scratch(sides.leads() ? out.size_bytes() : 0);
    out.data = sides.leads() ? combined.data() : nullptr;
    Task reduced = collectives::reduce(sides.own(), in, out, 0, op);
    co_await reduced;
    if (sides.leads()) {
        Operation sent = sides.both().send(sides.remote(root), combined.bytes());
        co_await sent;
    }
}

Task gather_here(Groups groups, std::span<const std::byte> own, int root)
{
    Sides sides(groups);
    const Scratch all =
        Group::scratch(sides.leads() ? own.size() * static_cast<std::size_t>(sides.own().size()) : 0);
    Task gathered = collectives::gather(sides.own(), own, all.data(), 0);
    co_await gathered;
    if (sides.leads()) {
        Operation sent = sides.both().send(sides.remote(root), all.bytes());
        co_await sent;
    }
}

Task scatter_here(Groups groups, std::span<std::byte> own, int root)
{
    Sides sides(groups);
    const Scratch all =
        Group::scratch(sides.leads() ? own.size() * static_cast<std::size_t>(sides.own().size()) : 0);
    if (sides.leads()) {
        Operation received = sides.both().recv(sides.remote(root), all.bytes());
        co_await received;
    }
    Task scattered = collectives::scatter(sides.own(), all.data(), own, 0);
    co_await scattered;
}

}  // namespace

Task broadcast(Groups groups, std::span<std::byte> data, int root)
{
    announce(groups, CallKind::broadcast, root, data.size());
    if (root == kRootBeside)
        return nothing();
    return root == kRootHere ? send_to(groups.both, Sides(groups).remote_leader(), data)
                             : broadcast_here(groups, data, root);
}

Task reduce(Groups groups, const std::byte* in, Buffer out, int root, ReduceOp op)
{
    announce(groups, CallKind::reduce, root, out.size_bytes(), op.identity());
    if (root == kRootBeside)
        return nothing();
    return root == kRootHere ? recv_from(groups.both, Sides(groups).remote_leader(), out.bytes())
                             : reduce_here(groups, in, out, root, op);
}

Task gather(Groups groups, std::span<const std::byte> own, std::span<std::byte> all, int root)
{
    const Sides sides(groups);
    const EqualBlocks<std::byte> blocks = equal_blocks(all, sides.remote_size());
    const std::size_t block_bytes = root == kRootHere ? blocks.block_bytes : own.size();
    announce(groups, CallKind::gather, root, block_bytes);
    if (root == kRootBeside)
        return nothing();
    if (root == kRootHere)
        return goes_by_leader(block_bytes) ? recv_from(groups.both, sides.remote_leader(), all)
                                           : at_root(groups, blocks);
    return goes_by_leader(block_bytes) ? gather_here(groups, own, root)
                                       : send_to(groups.both, sides.remote(root), own);
}

Task gatherv(Groups groups, std::span<const std::byte> own, Blocks all, int root)
{
    announce(groups, CallKind::gatherv, root);
    if (root == kRootBeside)
        return nothing();
    return root == kRootHere ? at_root(groups, all) : send_to(groups.both, Sides(groups).remote(root), own);
}

Task scatter(Groups groups, std::span<const std::byte> all, std::span<std::byte> own, int root)
{
    const Sides sides(groups);
    const EqualBlocks<const std::byte> blocks{all.data(),
                                              all.size() / static_cast<std::size_t>(sides.remote_size())};
    const std::size_t block_bytes = root == kRootHere ? blocks.block_bytes : own.size();
    announce(groups, CallKind::scatter, root, block_bytes);
    if (root == kRootBeside)
        return nothing();
    if (root == kRootHere)
        return goes_by_leader(block_bytes) ? send_to(groups.both, sides.remote_leader(), all)
                                           : at_root(groups, blocks);
    return goes_by_leader(block_bytes) ? scatter_here(groups, own, root)
                                       : recv_from(groups.both, sides.remote(root), own);
}

Task scatterv(Groups groups, ConstBlocks all, std::span<std::byte> own, int root)
{
    announce(groups, CallKind::scatterv, root);
    if (root == kRootBeside)
        return nothing();
    return root == kRootHere ? at_root(groups, all) : recv_from(groups.both, Sides(groups).remote(root), own);
}

}  // namespace tutti::collectives::inter
