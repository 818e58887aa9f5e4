// Board allreduce: every rank writes its operand to its slot; the last one to arrive combines all of them.
//
// Source: the shared-memory collectives of Graham and Shipman, "MPI support for multi-core architectures:
// optimized shared memory collectives", 2008; here one rank combines, because ranks that share cores gain
// nothing by dividing the work. Cost: no messages; every rank writes and reads n bytes, the last one reads
// and combines size * n.
//
// Size 3, operands a b c, ranks arriving in the order 1 2 0:
//   rank     0                  1         2
//   slot     a                  b         c
//            a b c -> result    waits     waits
//   data     a b c              a b c     a b c
//
// Restrictions: the group has a Board, and the data fits into a slot. Operators need not commute: the last
// rank combines in rank order, so the result is bitwise equal for any order of arrival.
#include "collectives/framework/board.hpp"
#include "collectives/framework/functions.hpp"

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
