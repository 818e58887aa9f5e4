// Flat exscan: the result travels from rank to rank; each rank keeps what it receives and passes it on,
// combined with its own operand.
//
// Source: textbook.
// Cost: size - 1 steps and chain; size - 1 messages of n bytes. Every rank waits once and combines once.
//
// Size 4, operands a b c d:
//   step   0       1            2              3
//   1      a -> 1  has a
//   2              ab -> 2      has ab
//   3                           abc -> 3       has abc
//
// Restrictions: none; operators need not commute.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task exscan_flat(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    const int rank = group.rank();
    const bool is_last = rank + 1 == group.size();
    const std::span<const std::byte> operand{in, out.size_bytes()};
    if (rank == 0) {
        if (!is_last) {
            Operation sent = group.send(1, operand);
            co_await sent;
        }
        co_return;
    }

    Scratch passed_on;
    if (!is_last) {
        passed_on = Group::scratch(out.size_bytes());
        Group::copy(passed_on.bytes(), operand);  // before the result arrives, perhaps at the same place
    }
    Operation received = group.recv(rank - 1, out.bytes());
    co_await received;
    if (!is_last) {
        Group::reduce(passed_on.data(), out.data, passed_on.data(), out.count, op);
        Operation sent = group.send(rank + 1, passed_on.bytes());
        co_await sent;
    }
}

}  // namespace tutti::collectives
