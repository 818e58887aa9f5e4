// The all-to-alls of intercommunicators: every rank exchanges a block with each rank of the other group, all
// at once, beginning with another one each.
//
// Cost: as many messages at each rank as the other group has ranks, in a chain of 1.
#include "collectives/intercommunicator/sides.hpp"

namespace tutti::collectives::inter {

namespace {

template <class BlocksIn, class BlocksOut>
Task run_exchange(Groups groups, BlocksIn in, BlocksOut out)
{
    Sides sides(groups);
    const int size = sides.remote_size();
    OperationList operations;
    for (int turn = 0; turn < size; ++turn) {
        const int peer = (sides.own().rank() + turn) % size;
        operations.add(sides.both().recv(sides.remote(peer), out[peer]));
    }
    for (int turn = 0; turn < size; ++turn) {
        const int peer = (sides.own().rank() + turn) % size;
        operations.add(sides.both().send(sides.remote(peer), in[peer]));
    }
    auto all = when_all(std::move(operations));
    co_await all;
}

}  // namespace

Task alltoall(Groups groups, EqualBlocks<const std::byte> in, EqualBlocks<std::byte> out)
{
    // These bytes are equal in both groups.
    groups.both.announce({CallKind::alltoall, -1, in.block_bytes + out.block_bytes});
    return run_exchange(groups, in, out);
}

Task alltoallv(Groups groups, ConstBlocks in, Blocks out)
{
    groups.both.announce({.kind = CallKind::alltoallv});
    return run_exchange(groups, in, out);
}

Task alltoallw(Groups groups, SeparateBlocks<const std::byte> in, SeparateBlocks<std::byte> out)
{
    groups.both.announce({.kind = CallKind::alltoallw});
    return run_exchange(groups, in, out);
}

}  // namespace tutti::collectives::inter
