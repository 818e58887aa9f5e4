// Board scan and exscan: every rank writes its operand to its slot; after all have arrived, each combines
// those of the ranks below it (in a scan also its own), in rank order.
//
// Source: as allreduce/board.cpp.
// Cost: no messages; every rank writes n bytes, and reads and combines n for each rank below. All ranks
// combine at once; in a chain of messages each would wait for the one below.
//
// Size 3, operands a b c, ranks arriving in the order 1 2 0:
//   rank     0           1         2
//   slot     a           b         c
//            releases    waits     waits
//   scan     a           a b       a b c
//   exscan               a         a b
//
// Restrictions: the group has a Board, and the operand fits into a slot. Operators need not commute.
#include "collectives/framework/board.hpp"
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

namespace {

// Combines the operands of ranks [0, end); nothing for end 0.
Task combine_below(Group& group, const std::byte* in, Buffer out, ReduceOp op, int end)
{
    Board& board = *group.board();
    Group::copy({board.slot(group.rank()), out.size_bytes()}, {in, out.size_bytes()});
    if (board.arrive()) {
        board.release();
    } else {
        Operation released = board.released();
        co_await released;
    }
    if (end > 0)
        Group::copy(out.bytes(), {board.slot(0), out.size_bytes()});
    for (int rank = 1; rank < end; ++rank)
        Group::reduce(out.data, out.data, board.slot(rank), out.count, op);
}

}  // namespace

Task scan_board(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    return combine_below(group, in, out, op, group.rank() + 1);
}

Task exscan_board(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    return combine_below(group, in, out, op, group.rank());
}

}  // namespace tutti::collectives
