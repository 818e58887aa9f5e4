// Flat allreduce: flat reduce to rank 0, then flat broadcast from it.
//
// Source: textbook.
// Cost: 2 (size - 1) steps in a chain of 2; 2 (size - 1) messages of n bytes, each to or from rank 0. With
// more ranks than cores every other rank waits only once (see barrier/flat.cpp).
//
// Size 3, operands a b c:
//   step   0       1       2
//   1      a b     -> 0
//   2      a b c           -> 0
//   3      -> 1    a b c
//   4      -> 2            a b c
//
// Restrictions: none; operators need not commute. All ranks get rank 0's result, so it is bitwise equal.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task allreduce_flat(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    Task reduced = reduce_flat(group, in, out, 0, op);
    co_await reduced;
    Task copied = broadcast_flat(group, out.bytes(), 0);
    co_await copied;
}

}  // namespace tutti::collectives
