// Board reduce: every rank leaves its operand in its slot; the last one to arrive combines all of them, and
// the root copies the result.
//
// Source: as allreduce/board.cpp.
// Cost: no messages; n bytes written by every rank, size * n read and combined by the last, n read by the
// root. Unlike with messages every rank waits for the last to arrive.
//
// Size 3, operands a b c, root 0, ranks arriving in the order 1 2 0:
//   rank     0                  1         2
//   slot     a                  b         c
//            a b c -> result    waits     waits
//   out      a b c
//
// Restrictions: the group has a Board, and the operand fits into a slot. Operators need not commute: whoever
// combines does it in rank order, so the result is the same bit by bit whatever the order of arrival.
#include "collectives/board.hpp"
#include "collectives/reduce/reduce.hpp"

namespace tutti::collectives {

Task reduce_board(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op)
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
    if (group.rank() == root) {
        Group::copy(out.bytes(), {board.result(), size_bytes});
    }
}

}  // namespace tutti::collectives
