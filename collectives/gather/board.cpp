// Board gather: every rank leaves its block in its slot; once all have arrived, the root copies them out.
//
// Source: as allreduce/board.cpp.
// Cost: no messages; a block written by every rank, size blocks read by the root. Unlike with messages every
// rank waits for the last to arrive.
//
// Size 3, root 0, blocks a b c, ranks arriving in the order 1 2 0:
//   rank     0           1         2
//   slot     a           b         c
//            releases    waits     waits
//   all      abc
//
// Restrictions: the group has a Board, and all blocks together fit into a slot.
#include "collectives/board.hpp"
#include "collectives/gather/gather.hpp"

namespace tutti::collectives {

Task gather_board(Group& group, std::span<const std::byte> own, std::byte* all, int root)
{
    Board& board = *group.board();
    Group::copy({board.slot(group.rank()), own.size()}, own);
    if (board.arrive()) {
        board.release();
    } else {
        Operation released = board.released();
        co_await released;
    }
    if (group.rank() == root) {
        for (int rank = 0; rank < group.size(); ++rank) {
            Group::copy({all + static_cast<std::size_t>(rank) * own.size(), own.size()},
                        {board.slot(rank), own.size()});
        }
    }
}

}  // namespace tutti::collectives
