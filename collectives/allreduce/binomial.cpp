// Binomial allreduce: binomial reduce to rank 0, then binomial broadcast from it.
//
// Source: textbook; see reduce/binomial.cpp and broadcast/binomial.cpp.
// Cost: 2 ceil(log2 size) steps in a chain of 2 floor(log2 size), half of them with a reduction of n bytes;
// 2 (size - 1) messages of n bytes. Twice the steps of recursive doubling, but only 2 / log2(size) of its
// messages, which matters as soon as ranks share the memory's bandwidth.
//
// Size 3, operands a b c:
//   step   0       1       2
//   1      a b     -> 0
//   2      a b c           -> 0
//   3      -> 2            a b c
//   4      -> 1    a b c
//
// Restrictions: none; operators need not commute. All ranks get rank 0's result, so it is bitwise equal.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task allreduce_binomial(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    Task reduced = reduce_binomial(group, in, out, 0, op);
    co_await reduced;
    Task copied = broadcast_binomial(group, out.bytes(), 0);
    co_await copied;
}

}  // namespace tutti::collectives
