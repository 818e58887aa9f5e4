// Board allgather: every rank writes its block to its slot; after all have arrived, each copies the others'
// blocks.
//
// Source: as allreduce/board.cpp.
// Cost: no messages; every rank writes one block and reads size - 1 blocks.
//
// Size 3, blocks a b c, ranks arriving in the order 1 2 0:
//   rank     0           1         2
//   slot     a           b         c
//            releases    waits     waits
//   all      abc         abc       abc
//
// Restrictions: the group has a Board, and all blocks together fit into a slot. Blocks may be unequal.
#include "collectives/framework/board.hpp"
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

namespace {

template <class BlocksOfRanks>
Task on_board(Group& group, const std::byte* own, BlocksOfRanks all)
{
    Board& board = *group.board();
    const std::span<std::byte> place = all[group.rank()];
    Group::copy({board.slot(group.rank()), place.size()}, {own, place.size()});
    Group::copy(place, {own, place.size()});
    if (board.arrive()) {
        board.release();
    } else {
        Operation released = board.released();
        co_await released;
    }
    for (int rank = 0; rank < group.size(); ++rank)
        if (rank != group.rank())
            Group::copy(all[rank], {board.slot(rank), all[rank].size()});
}

}  // namespace

Task allgather_board(Group& group, const std::byte* own, std::span<std::byte> all)
{
    return on_board(group, own, equal_blocks(all, group.size()));
}

Task allgatherv_board(Group& group, const std::byte* own, Blocks all)
{
    return on_board(group, own, all);
}

}  // namespace tutti::collectives
