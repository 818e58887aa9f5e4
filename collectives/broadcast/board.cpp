// Board broadcast: the root leaves the data in its slot; once all ranks have arrived, each copies it out.
//
// Source: as allreduce/board.cpp.
// Cost: no messages; n bytes written once and read by every other rank. Unlike with messages the root waits
// for the last rank to arrive.
//
// Size 3, root 1, ranks arriving in the order 1 2 0:
//   rank     0           1         2
//   slot                 data
//            releases    waits     waits
//   data     copied                copied
//
// Restrictions: the group has a Board, and data fits into a slot.
#include "collectives/board.hpp"
#include "collectives/broadcast/broadcast.hpp"

namespace tutti::collectives {

Task broadcast_board(Group& group, std::span<std::byte> data, int root)
{
    Board& board = *group.board();
    const std::span<std::byte> slot(board.slot(root), data.size());
    if (group.rank() == root) {
        Group::copy(slot, data);
    }
    if (board.arrive()) {
        board.release();
    } else {
        Operation released = board.released();
        co_await released;
    }
    if (group.rank() != root) {
        Group::copy(data, slot);
    }
}

}  // namespace tutti::collectives
