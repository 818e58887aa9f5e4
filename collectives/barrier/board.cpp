// Board barrier: every rank counts its arrival; rank 0 releases all after all have arrived.
//
// Source: the central-counter barrier (Mellor-Crummey and Scott, "Algorithms for scalable synchronization on
// shared-memory multiprocessors", 1991), with one difference: rank 0 releases the others, not the last rank
// to arrive. Rank 0 continues first, and most collectives after a barrier start from it: otherwise ranks that
// share its core would wait for it there and need one more turn of the scheduler. Cost: no messages. All
// ranks write one shared line, so time grows with the ranks. But the scheduler runs each rank only once to
// arrive and once to leave, which decides if ranks share cores.
//
// Size 5, ranks arriving in the order 2 0 4 1 3:
//   rank     0         1         2         3            4
//   count    2         4         1         5            3
//            waits     waits     waits     tells rank 0 waits
//            releases
//
// Restrictions: the group has a Board.
#include "collectives/framework/board.hpp"
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task barrier_board(Group& group)
{
    Board& board = *group.board();
    const bool last = board.arrive();
    if (group.rank() == 0) {
        Operation arrived = board.all_arrived();
        co_await arrived;
        board.release();
    } else {
        if (last)
            board.arrive_at_root();
        Operation released = board.released();
        co_await released;
    }
}

}  // namespace tutti::collectives
