// Ring allgather: in each step every rank sends to its right neighbour the block that it received from its
// left one in the step before; the blocks travel once around the ring.
//
// Source: textbook; Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", 2005, section 4.1.
// Cost: size - 1 steps and chain; size (size - 1) messages of one block, one for each rank and step; (size -
// 1) n bytes. Ranks communicate with neighbours only, and always send and receive: for long blocks.
//
// Size 5, which blocks each rank has:
//   step   0       1       2       3       4
//   0      a         b         c         d         e
//   1      a   e     ab         bc         cd        de
//   2      a  de     ab  e       abc        bcd       cde
//   3      a cde     ab de      abc e      abcd       bcde
//   4      abcde   abcde   abcde   abcde   abcde
//
// Restrictions: none. Blocks may be unequal; the longest one sets the pace.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

namespace {

template <class BlocksOfRanks>
Task ring(Group& group, const std::byte* own, BlocksOfRanks all)
{
    const int rank = group.rank();
    const int size = group.size();
    const int right = (rank + 1) % size;
    const int left = (rank - 1 + size) % size;
    std::span<const std::byte> newest(own, all[rank].size());
    for (int step = 1; step < size; ++step) {
        const std::span<std::byte> next = all[(rank - step + size) % size];
        auto exchanged = group.exchange(right, newest, left, next);
        co_await exchanged;
        newest = next;
    }
    Group::copy(all[rank], {own, all[rank].size()});
}

}  // namespace

Task allgather_ring(Group& group, const std::byte* own, std::span<std::byte> all)
{
    return ring(group, own, equal_blocks(all, group.size()));
}

Task allgatherv_ring(Group& group, const std::byte* own, Blocks all)
{
    return ring(group, own, all);
}

}  // namespace tutti::collectives
