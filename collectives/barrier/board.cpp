// Board barrier: every rank counts itself in; the last one releases all.
//
// Source: the central-counter barrier (Mellor-Crummey and Scott, "Algorithms for scalable synchronization on
// shared-memory multiprocessors", 1991).
// Cost: no messages. Each rank writes one line that all share, so time grows with the ranks; but each has to
// be scheduled only once to arrive and once to leave, which is what counts where ranks share cores.
//
// Size 5, ranks arriving in the order 2 0 4 1 3:
//   rank     0         1         2         3         4
//   count    2         4         1         5         3
//            waits     waits     waits     releases  waits
//
// Restrictions: the group has a Board.
#include "collectives/board.hpp"
#include "collectives/barrier/barrier.hpp"

namespace tutti::collectives {

Task barrier_board(Group& group)
{
    Board& board = *group.board();
    if (board.arrive()) {
        board.release();
    } else {
        Operation released = board.released();
        co_await released;
    }
}

}  // namespace tutti::collectives
