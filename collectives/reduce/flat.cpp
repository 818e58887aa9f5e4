// Flat reduce: every rank sends its operand to the root, which combines them.
//
// Source: textbook.
// Cost: size - 1 steps in a chain of 1; size - 1 messages of n bytes, all combined by the root. No memory
// except for the result.
//
// Size 5, root 2, operands a b c d e. The root combines the ranks below it downwards and then those above
// upwards, which keeps rank order without more memory:
//   arriving    result at rank 2
//   (own)       c
//   b from 1    b c
//   a from 0    a b c
//   d from 3    a b c d
//   e from 4    a b c d e
//
// Restrictions: none; operators need not commute.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task reduce_flat(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op)
{
    const std::size_t size_bytes = out.size_bytes();
    if (group.rank() != root) {
        Operation sent = group.send(root, {in, size_bytes});
        co_await sent;
        co_return;
    }
    const std::byte* partial = in;
    for (int peer = root - 1; peer >= 0; --peer) {
        Operation combined = group.recv_reduce(peer, partial, out, op, Side::left);
        co_await combined;
        partial = out.data;
    }
    for (int peer = root + 1; peer < group.size(); ++peer) {
        Operation combined = group.recv_reduce(peer, partial, out, op, Side::right);
        co_await combined;
        partial = out.data;
    }
    Group::copy(out.bytes(), {partial, size_bytes});
}

}  // namespace tutti::collectives
