// Shared allreduce: every rank leaves its operand in memory that all ranks read, chunk after chunk; each
// combines the operands of all.
//
// Source: textbook (an allgather in shared memory, and a reduction at every rank). Cost: no messages; every
// rank writes n bytes, and reads and combines size * n. Good for few ranks with a core each: a rank waits
// once a chunk, for the slowest.
//
// Size 3, operands a b c of one chunk:
//   rank     0          1          2
//            leaves a   leaves b   leaves c
//   data     a b c      a b c      a b c
//
// Restrictions: the group has Streams. Operators need not commute, and the result is bitwise equal: all
// ranks combine in rank order. Elements longer than a chunk are reduced by the flat algorithm.
#include <algorithm>

#include "collectives/functions.hpp"
#include "collectives/streams.hpp"

namespace tutti::collectives {

Task allreduce_shared(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    Streams& streams = *group.streams();
    const std::size_t most = streams.chunk_bytes() / std::max<std::size_t>(out.element_bytes, 1);
    if (most == 0) {
        Task flat = allreduce_flat(group, in, out, op);
        co_await flat;
        co_return;
    }
    std::size_t left = out.count;
    do {
        const std::size_t count = std::min(left, most);
        const std::size_t size_bytes = count * out.element_bytes;
        Operation room = streams.room();
        co_await room;
        Group::copy({streams.own_chunk(size_bytes), size_bytes}, {in, size_bytes});
        streams.publish();
        const std::byte* partial = nullptr;
        for (int rank = 0; rank < group.size(); ++rank) {
            if (rank != group.rank()) {
                Operation published = streams.published(rank);
                co_await published;
            }
            const std::byte* const operand = streams.chunk(rank, size_bytes);
            if (rank == 0) {
                partial = operand;
                continue;
            }
            Group::reduce(out.data, partial, operand, count, op);
            partial = out.data;
        }
        Group::copy({out.data, size_bytes}, {partial, size_bytes});
        streams.pass();
        in += size_bytes;
        out.data += size_bytes;
        left -= count;
    } while (left != 0);
}

}  // namespace tutti::collectives
