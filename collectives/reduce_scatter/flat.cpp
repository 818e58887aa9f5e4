// Flat reduce_scatter: every rank sends each other rank its block, and combines those that it receives.
//
// Source: textbook.
// Cost: size - 1 steps in a chain of 1; size (size - 1) messages, (size - 1) n bytes in all. Every rank sends
// and receives n (size - 1) / size bytes, which is the minimum, and needs no memory, but it exchanges
// messages with all others.
//
// Size 4, operands a b c d, blocks 0 to 3. A rank first sends to its right. It combines from below downwards
// and then from above upwards, which keeps rank order:
//   step     0               1               2               3
//   1        a1 -> 1         b2 -> 2         c3 -> 3         d0 -> 0
//   2        a2 -> 2         b3 -> 3         c0 -> 0         d1 -> 1
//   3        a3 -> 3         b0 -> 0         c1 -> 1         d2 -> 2
//   has      a0 b0 c0 d0     a1 b1 c1 d1     a2 b2 c2 d2     a3 b3 c3 d3
//
// Restrictions: none; operators need not commute.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task reduce_scatter_flat(Group& group, const std::byte* in, Partition blocks, Buffer out, ReduceOp op)
{
    const int size = group.size();
    const int rank = group.rank();
    const ConstBuffer operand{in, out.element_bytes};

    OperationList sends;
    for (int distance = 1; distance < size; ++distance) {
        const int peer = (rank + distance) % size;
        sends.add(group.send(peer, operand.bytes(blocks[peer])));
    }
    const std::byte* partial = operand.bytes(blocks[rank]).data();
    for (int peer = rank - 1; peer >= 0; --peer) {
        Operation combined = group.recv_reduce(peer, partial, out, op, Side::left);
        co_await combined;
        partial = out.data;
    }
    for (int peer = rank + 1; peer < size; ++peer) {
        Operation combined = group.recv_reduce(peer, partial, out, op, Side::right);
        co_await combined;
        partial = out.data;
    }
    Group::copy(out.bytes(), {partial, out.size_bytes()});
    co_await when_all(std::move(sends));
}

}  // namespace tutti::collectives
