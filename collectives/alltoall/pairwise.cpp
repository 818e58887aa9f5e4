// Pairwise exchange: in every step each rank sends one block and receives one, so that no rank receives from
// two at a time.
//
// Source: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH",
// 2005, section 4.3.
// Cost: size - 1 steps and chain; size (size - 1) messages of one block, one for each rank and step. Every
// block travels once, and a rank has two messages under way: for long blocks.
//
// With a power of two of ranks, the ranks that differ by the bits of s exchange in step s. Otherwise each
// sends to the rank s above and receives from the one s below. Size 6:
//   step   0               1               2               3               4               5
//   1      -> 1 and 5 ->   -> 2 and 0 ->   -> 3 and 1 ->   -> 4 and 2 ->   -> 5 and 3 ->   -> 0 and 4 ->
//   2      -> 2 and 4 ->   -> 3 and 5 ->   -> 4 and 0 ->   -> 5 and 1 ->   -> 0 and 2 ->   -> 1 and 3 ->
//   3      -> 3 and 3 ->   -> 4 and 4 ->   -> 5 and 5 ->   -> 0 and 0 ->   -> 1 and 1 ->   -> 2 and 2 ->
//   4, 5   as 2 and 1, the other way round
//
// Restrictions: none. Blocks may be unequal; the longest one of a step sets its pace.
#include <bit>

#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

namespace {

template <class BlocksIn, class BlocksOut>
Task pairwise(Group& group, BlocksIn in, BlocksOut out)
{
    const int rank = group.rank();
    const int size = group.size();
    const bool in_pairs = std::has_single_bit(static_cast<unsigned>(size));
    Group::copy(out[rank], in[rank]);
    for (int step = 1; step < size; ++step) {
        const int to = in_pairs ? rank ^ step : (rank + step) % size;
        const int from = in_pairs ? to : (rank - step + size) % size;
        auto exchanged = group.exchange(to, in[to], from, out[from]);
        co_await exchanged;
    }
}

}  // namespace

Task alltoall_pairwise(Group& group, const std::byte* in, std::span<std::byte> out)
{
    const EqualBlocks<std::byte> blocks = equal_blocks(out, group.size());
    return pairwise(group, EqualBlocks<const std::byte>{in, blocks.block_bytes}, blocks);
}

Task alltoallv_pairwise(Group& group, ConstBlocks in, Blocks out)
{
    return pairwise(group, in, out);
}

}  // namespace tutti::collectives
