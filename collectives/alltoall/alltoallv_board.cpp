// Board all-to-all of blocks of any sizes: every rank's slot has an equal share for each rank. There it
// writes the length of its block for that rank and, if it fits, the block. After all have arrived, each rank
// copies the blocks for itself. Longer blocks travel as messages at the same time. Both ranks of a block know
// its size, and so whether it is a message; no rank knows all sizes.
//
// Source: alltoall/board.cpp; the messages are those of alltoall/flat.cpp.
// Cost: a block that fits is written and read, without a message; a longer one is a message. Blocks of up to
// a slot's bytes / size - 8 fit.
//
// Size 3, ab the block from a to b, 12 too long, ranks arriving in the order 1 2 0:
//   rank     0             1                  2
//   before                 sends 12 to 2      receives 12
//   slot     - | 01 | 02   10 | - | (size)    20 | 21 | -
//            releases      waits              waits
//   out      00 10 20      01 11 21           02 12 22
//
// Restrictions: the group has a Board.
#include "collectives/framework/board.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/framework/sized_blocks.hpp"

namespace tutti::collectives {

Task alltoallv_board(Group& group, ConstBlocks in, Blocks out)
{
    Board& board = *group.board();
    const int rank = group.rank();
    const int size = group.size();
    const SizedBlocks blocks(board.slot_bytes() / static_cast<std::size_t>(size));
    const auto share = [&](int from, int to) {
        return board.slot(from) + static_cast<std::size_t>(to) * blocks.share_bytes();
    };
    OperationList messages;
    for (int distance = 1; distance < size; ++distance) {
        const int below = (rank - distance + size) % size;
        if (!blocks.fits(out[below].size()))
            messages.add(group.recv(below, out[below]));
    }
    for (int distance = 1; distance < size; ++distance) {
        const int above = (rank + distance) % size;
        blocks.leave(share(rank, above), in[above]);
        if (!blocks.fits(in[above].size()))
            messages.add(group.send(above, in[above]));
    }
    Group::copy(out[rank], in[rank]);
    if (board.arrive()) {
        board.release();
    } else {
        Operation released = board.released();
        co_await released;
    }
    for (int other = 0; other < size; ++other)
        if (other != rank && !blocks.take(share(other, rank), out[other]))
            throw SizedBlocks::mismatch("alltoallv", share(other, rank), other, rank, out[other].size());
    co_await when_all(std::move(messages));
}

}  // namespace tutti::collectives
