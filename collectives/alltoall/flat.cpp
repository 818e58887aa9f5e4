// Flat all-to-all: every rank sends every other rank its block, all at once.
//
// Source: textbook; Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", 2005, section 4.3.
// Cost: size - 1 steps in a chain of 1; size (size - 1) messages of one block, size - 1 of them sent by each
// rank. Every rank has up to 2 (size - 1) messages under way: for few ranks, blocks of medium length, and
// more ranks than cores, where no rank waits for a message that itself had to wait.
//
// Size 5, the destination of each rank and the block that it receives (ranks modulo 5, so that in each step a
// rank receives from one rank only; ab is the block from a to b):
//   step   0             1             2             3             4
//   1      -> 1  gets 40 -> 2  gets 01 -> 3  gets 12 -> 4  gets 23 -> 0  gets 34
//   2      -> 2  gets 30 -> 3  gets 41 -> 4  gets 02 -> 0  gets 13 -> 1  gets 24
//   3      -> 3  gets 20 -> 4  gets 31 -> 0  gets 42 -> 1  gets 03 -> 2  gets 14
//   4      -> 4  gets 10 -> 0  gets 21 -> 1  gets 32 -> 2  gets 43 -> 3  gets 04
//
// Restrictions: none. Blocks may be unequal.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

namespace {

template <class BlocksIn, class BlocksOut>
Task flat(Group& group, BlocksIn in, BlocksOut out)
{
    const int rank = group.rank();
    const int size = group.size();
    OperationList operations;
    for (int distance = 1; distance < size; ++distance) {
        const int above = (rank + distance) % size;
        operations.add(group.send(above, in[above]));
    }
    for (int distance = 1; distance < size; ++distance) {
        const int below = (rank - distance + size) % size;
        operations.add(group.recv(below, out[below]));
    }
    Group::copy(out[rank], in[rank]);
    co_await when_all(std::move(operations));
}

}  // namespace

Task alltoall_flat(Group& group, const std::byte* in, std::span<std::byte> out)
{
    const EqualBlocks<std::byte> blocks = equal_blocks(out, group.size());
    return flat(group, EqualBlocks<const std::byte>{in, blocks.block_bytes}, blocks);
}

Task alltoallv_flat(Group& group, ConstBlocks in, Blocks out)
{
    return flat(group, in, out);
}

Task alltoallw_flat(Group& group, SeparateBlocks<const std::byte> in, SeparateBlocks<std::byte> out)
{
    return flat(group, in, out);
}

}  // namespace tutti::collectives
