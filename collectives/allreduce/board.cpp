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
#include "collectives/allreduce/allreduce.hpp"

namespace tutti::collectives {

Task allreduce_board(Group& group, Buffer data, ReduceOp op)
{
    Board& board = *group.board();
    const auto bytes_at = [&](std::byte* place) { return std::span(place, data.size_bytes()); };
    Group::copy(bytes_at(board.slot(group.rank())), data.bytes());
    if (board.arrive()) {
        board.combine(group.size(), data, op);
        board.release();
    } else {
        Operation released = board.released();
        co_await released;
    }
    Group::copy(data.bytes(), bytes_at(board.result()));
}

}  // namespace tutti::collectives
