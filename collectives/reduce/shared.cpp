// Shared reduce: every rank leaves its operand in memory that the root reads, chunk after chunk; the root
// combines the operands of all.
//
// Source: the gather half of the release-gather of Jain and others, "Framework for scalable intra-node
// collective operations using shared memory", 2018. Cost: no messages; every other rank writes n bytes, the
// root reads and combines (size - 1) * n. The others wait for nobody while some chunks of their streams are
// free. Of two ranks: long operands that the root reads where they lie come as a message
// (streamed_or_sent.hpp).
//
// Size 4, root 2, operands a b c d. The root combines the ranks below it downwards and then those above
// upwards, which keeps rank order without more memory:
//   read from    result at rank 2
//   (own)        c
//   1            b c
//   0            a b c
//   3            a b c d
//
// Restrictions: the group has Streams. Operators need not commute. Elements longer than a chunk are reduced
// by the flat algorithm.
#include <algorithm>

#include "collectives/functions.hpp"
#include "collectives/streamed_or_sent.hpp"

namespace tutti::collectives {

Task reduce_shared(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op)
{
    Streams& streams = *group.streams();
    const std::size_t most = streams.chunk_bytes() / std::max<std::size_t>(out.element_bytes, 1);
    bool as_message = most == 0;
    if (!as_message && is_told(group, out.size_bytes())) {
        Operation ready = ready_to_tell(group, 1 - root);
        co_await ready;
        as_message = comes_as_message(group, 1 - root, {in, out.size_bytes()});
    }
    if (as_message) {
        Task flat = reduce_flat(group, in, out, root, op);
        co_await flat;
        co_return;
    }
    std::size_t left = out.count;
    do {
        const std::size_t count = std::min(left, most);
        const std::size_t size_bytes = count * out.element_bytes;
        if (group.rank() == root) {
            const std::byte* partial = in;
            for (int i = 1; i < group.size(); ++i) {
                const bool below = i <= root;
                const int peer = below ? root - i : i;
                Operation published = streams.published(peer);
                co_await published;
                const std::byte* const operand = streams.chunk(peer, size_bytes);
                Group::reduce(out.data, below ? operand : partial, below ? partial : operand, count, op);
                partial = out.data;
            }
            Group::copy({out.data, size_bytes}, {partial, size_bytes});
            out.data += size_bytes;
        } else {
            Operation room = streams.room();
            co_await room;
            Group::copy({streams.own_chunk(size_bytes), size_bytes}, {in, size_bytes});
            streams.publish(root);
        }
        streams.pass();
        in += size_bytes;
        left -= count;
    } while (left != 0);
}

}  // namespace tutti::collectives
