// Recursive doubling: in step k ranks that differ in bit k exchange their partial results and both combine
// them, so that after log2(power) steps all have the result.
//
// Source: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH",
// 2005, section 4.4; the fold to a power of two is Rabenseifner's.
// Cost: log2(power) steps and chain, power = the largest power of two <= size, and 2 more steps if size is no
// power of two; power log2(power) + 2 (size - power) messages of n bytes. Every rank sends and combines n
// bytes in each step: for short messages, and for two ranks, which need a single step.
//
// Size 6, power 4, operands a b c d e f. The even ranks of the first 2 * (6 - 4) fold into their right
// neighbours; the remaining ranks count as 0 1 2 3 (patterns::Fold):
//   step     0      1      2      3      4      5
//   fold     -> 1   ab     -> 3   cd     e      f
//   counts          0             1      2      3
//   bit 0           abcd          abcd   ef     ef
//   bit 1           a..f          a..f   a..f   a..f
//   unfold   a..f   -> 0   a..f   -> 2
//
// Restrictions: none. The lower rank's part is always the left operand: operators need not commute, and all
// ranks compute the same expression, so the result is bitwise equal.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/patterns.hpp"

namespace tutti::collectives {

Task allreduce_recursive_doubling(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    const int rank = group.rank();
    const std::size_t size_bytes = out.size_bytes();
    const patterns::Fold fold(group.size());
    const int folded = fold.folded(rank);

    if (folded == patterns::Fold::kOut) {
        Operation given = group.send(rank + 1, {in, size_bytes});
        co_await given;
        Operation received = group.recv(rank + 1, out.bytes());
        co_await received;
        co_return;
    }
    const std::byte* partial = in;  // this rank's partial result
    if (fold.is_paired(rank)) {
        Operation taken = group.recv_reduce(rank - 1, in, out, op, Side::left);
        co_await taken;
        partial = out.data;
    }

    Scratch memory;
    for (int bit = 1; bit < fold.power(); bit *= 2) {
        const int peer = fold.rank(folded ^ bit);
        const bool peer_is_lower = (folded & bit) != 0;
        Operation sent = group.send(peer, {partial, size_bytes});
        Buffer next = out;
        // Data that the peer may still read stays unchanged; short messages have always left already.
        if (partial == out.data && !sent.done()) {
            if (memory.data() == nullptr)
                memory = Group::scratch(size_bytes);
            next.data = memory.data();
        }
        Operation combined =
            group.recv_reduce(peer, partial, next, op, peer_is_lower ? Side::left : Side::right);
        co_await when_all(std::move(combined), std::move(sent));
        partial = next.data;
    }
    Group::copy(out.bytes(), {partial, size_bytes});

    if (fold.is_paired(rank)) {
        Operation given_back = group.send(rank - 1, out.bytes());
        co_await given_back;
    }
}

}  // namespace tutti::collectives
