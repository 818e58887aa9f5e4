// Board all-to-all: every rank writes all its blocks to its slot; after all have arrived, each copies its
// blocks from the others' slots.
//
// Source: as allreduce/board.cpp.
// Cost: no messages; every rank writes size blocks and reads size - 1.
//
// Size 3, ab the block from a to b, ranks arriving in the order 1 2 0:
//   rank     0           1           2
//   slot     00 01 02    10 11 12    20 21 22
//            releases    waits       waits
//   out      00 10 20    01 11 21    02 12 22
//
// Restrictions: the group has a Board, and a rank's blocks together fit into a slot. Also works in place.
#include "collectives/framework/board.hpp"
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task alltoall_board(Group& group, const std::byte* in, std::span<std::byte> out)
{
    Board& board = *group.board();
    const int rank = group.rank();
    const EqualBlocks<std::byte> arriving = equal_blocks(out, group.size());
    Group::copy({board.slot(rank), out.size()}, {in, out.size()});
    Group::copy(arriving[rank], EqualBlocks<const std::byte>{in, arriving.block_bytes}[rank]);
    if (board.arrive()) {
        board.release();
    } else {
        Operation released = board.released();
        co_await released;
    }
    for (int other = 0; other < group.size(); ++other) {
        if (other != rank) {
            const EqualBlocks<const std::byte> left{board.slot(other), arriving.block_bytes};
            Group::copy(arriving[other], left[rank]);
        }
    }
}

}  // namespace tutti::collectives
