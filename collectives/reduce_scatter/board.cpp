// Board reduce_scatter: every rank writes its operand to its slot; after all have arrived, each combines its
// own block from all slots.
//
// Source: as allreduce/board.cpp; but here each rank combines, and only elements of its own.
// Cost: no messages; every rank writes n bytes, and reads and combines n.
//
// Size 3, operands a b c, blocks 0 to 2, ranks arriving in the order 1 2 0:
//   rank     0           1           2
//   slot     a0 a1 a2    b0 b1 b2    c0 c1 c2
//            releases    waits       waits
//   has      a0 b0 c0    a1 b1 c1    a2 b2 c2
//
// Restrictions: the group has a Board, and the operand fits into a slot. Operators need not commute.
#include "collectives/framework/board.hpp"
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task reduce_scatter_board(Group& group, const std::byte* in, Partition blocks, Buffer out, ReduceOp op)
{
    Board& board = *group.board();
    const patterns::Block own = blocks[group.rank()];
    const std::size_t size_bytes = blocks.count() * out.element_bytes;
    Group::copy({board.slot(group.rank()), size_bytes}, {in, size_bytes});
    if (board.arrive()) {
        board.release();
    } else {
        Operation released = board.released();
        co_await released;
    }
    const std::size_t offset = own.first * out.element_bytes;
    Group::copy(out.bytes(), {board.slot(0) + offset, out.size_bytes()});
    for (int rank = 1; rank < group.size(); ++rank)
        Group::reduce(out.data, out.data, board.slot(rank) + offset, out.count, op);
}

}  // namespace tutti::collectives
