// Board barrier: every rank counts itself in; rank 0 releases all when all have come.
//
// Source: the central-counter barrier (Mellor-Crummey and Scott, "Algorithms for scalable synchronization on
// shared-memory multiprocessors", 1991), with one difference: not the last rank to arrive releases the
// others, but rank 0. It is the first to go on, and what comes after a barrier mostly starts from it: ranks
// that share its core would otherwise wait for it in the next collective, and have to be scheduled once more.
// Cost: no messages. Each rank writes one line that all share, so time grows with the ranks; but each has
// to be scheduled only once to arrive and once to leave, which is what counts where ranks share cores.
//
// Size 5, ranks arriving in the order 2 0 4 1 3:
//   rank     0         1         2         3            4
//   count    2         4         1         5            3
//            waits     waits     waits     tells rank 0 waits
//            releases
//
// Restrictions: the group has a Board.
#include "collectives/board.hpp"
#include "collectives/functions.hpp"

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
            board.tell_root();
        Operation released = board.released();
        co_await released;
    }
}

}  // namespace tutti::collectives
