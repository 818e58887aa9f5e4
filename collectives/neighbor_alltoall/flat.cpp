// Flat exchange with neighbours: every rank receives from all its sources and sends to all its destinations,
// all at once. An allgather sends all of them the same block.
//
// Source: textbook; Hoefler and Traff, "Sparse collective operations for MPI", 2009.
// Cost: a message for each edge of the graph, in a chain of 1; as many steps as the largest number of
// neighbours that a rank sends to or receives from, or more if many messages arrive at one rank at once. On a
// grid that is periodic in all d dimensions, each of more than one rank: 2 d steps and 2 d messages a rank. n
// is the bytes of a block.
//
// A ring of 5 ranks as a grid, neighbour 0 below and 1 above (ab is the block that rank b sends to its
// neighbour a). Blocks leave in the order of the sender's neighbours, so the receives are posted in the order
// 1, 0:
//   rank     0           1           2           3           4
//   step 1   -> 4 as 1   -> 0 as 1   -> 1 as 1   -> 2 as 1   -> 3 as 1
//            gets 01     gets 02     gets 03     gets 04     gets 00
//   step 2   -> 1 as 0   -> 2 as 0   -> 3 as 0   -> 4 as 0   -> 0 as 0
//            gets 14     gets 10     gets 11     gets 12     gets 13
// With 2 ranks the same pair exchanges both blocks, and only order distinguishes them; with 1 rank it copies.
//
// Restrictions: none. Blocks may be unequal.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

namespace {

template <class BlocksIn, class BlocksOut>
Task flat(Group& group, Neighbors neighbors, BlocksIn in, BlocksOut out)
{
    const auto is_other = [&](int peer) { return peer >= 0 && peer != group.rank(); };
    OperationList operations;
    for (std::size_t turn = 0; turn < neighbors.sources.size(); ++turn) {
        const std::size_t index = neighbors.source_in_turn(turn);
        if (is_other(neighbors.sources[index]))
            operations.add(group.recv(neighbors.sources[index], out[static_cast<int>(index)]));
    }
    for (std::size_t index = 0; index < neighbors.destinations.size(); ++index)
        if (is_other(neighbors.destinations[index]))
            operations.add(group.send(neighbors.destinations[index], in[static_cast<int>(index)]));
    neighbors.visit_kept(group.rank(), [&](std::size_t sent, std::size_t received) {
        Group::copy(out[static_cast<int>(received)], in[static_cast<int>(sent)]);
    });
    auto all = when_all(std::move(operations));
    co_await all;
}

}  // namespace

Task neighbor_allgather_flat(Group& group, Neighbors neighbors, std::span<const std::byte> own,
                             std::byte* all)
{
    return flat(group, neighbors, OneBlock<const std::byte>{own}, EqualBlocks<std::byte>{all, own.size()});
}

Task neighbor_allgatherv_flat(Group& group, Neighbors neighbors, std::span<const std::byte> own, Blocks all)
{
    return flat(group, neighbors, OneBlock<const std::byte>{own}, all);
}

Task neighbor_alltoall_flat(Group& group, Neighbors neighbors, const std::byte* in, std::byte* out,
                            std::size_t block_bytes)
{
    return flat(group, neighbors, EqualBlocks<const std::byte>{in, block_bytes},
                EqualBlocks<std::byte>{out, block_bytes});
}

Task neighbor_alltoallv_flat(Group& group, Neighbors neighbors, ConstBlocks in, Blocks out)
{
    return flat(group, neighbors, in, out);
}

Task neighbor_alltoallw_flat(Group& group, Neighbors neighbors, SeparateBlocks<const std::byte> in,
                             SeparateBlocks<std::byte> out)
{
    return flat(group, neighbors, in, out);
}

}  // namespace tutti::collectives
