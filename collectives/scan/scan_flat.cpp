// Flat scan: the result travels from rank to rank, and each combines its operand with it.
//
// Source: textbook.
// Cost: size - 1 steps and chain; size - 1 messages of n bytes. Every rank waits once and combines once.
//
// Size 4, operands a b c d:
//   step   0       1        2         3
//   1      a -> 1  ab
//   2              ab -> 2  abc
//   3                       abc -> 3  abcd
//
// Restrictions: none; operators need not commute.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task scan_flat(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    Group::copy(out.bytes(), {in, out.size_bytes()});
    if (group.rank() > 0) {
        Operation combined = group.recv_reduce(group.rank() - 1, out, op, Side::left);
        co_await combined;
    }
    if (group.rank() + 1 < group.size()) {
        Operation sent = group.send(group.rank() + 1, out.bytes());
        co_await sent;
    }
}

}  // namespace tutti::collectives
