// Board allreduce: every rank leaves its operand in its slot; the last one to arrive combines all of them.
//
// Source: the shared-memory collectives of Graham and Shipman, "MPI support for multi-core architectures:
// optimized shared memory collectives", 2008; here with one combiner, as ranks that share cores gain nothing
// by dividing the work. Cost: no messages; n bytes written and n read by every rank, size * n read and
// combined by the last.
//
// Size 3, operands a b c, ranks arriving in the order 1 2 0:
//   rank     0                  1         2
//   slot     a                  b         c
//            a b c -> result    waits     waits
//   data     a b c              a b c     a b c
//
// Restrictions: the group has a Board, and data fits into a slot. Operators need not commute: whoever
// combines does it in rank order, so the result is the same bit by bit whatever the order of arrival.
#include "collectives/board.hpp"
#include "collectives/functions.hpp"

namespace tutti::collectives {

Task allreduce_board(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    Board& board = *group.board();
    const std::size_t size_bytes = out.size_bytes();
    Group::copy({board.slot(group.rank()), size_bytes}, {in, size_bytes});
    if (board.arrive()) {
        board.combine(group.size(), out, op);
        board.release();
    } else {
        Operation released = board.released();
        co_await released;
    }
    Group::copy(out.bytes(), {board.result(), size_bytes});
}

}  // namespace tutti::collectives
