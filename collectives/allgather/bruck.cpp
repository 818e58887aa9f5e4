// Bruck's allgather: a rank has its own block and those of the ranks after it. In step k it receives the
// blocks that follow, as many as it has, from the rank 2^k after it, and sends its own to the rank 2^k before
// it. The last step transfers only the missing blocks.
//
// Source: Bruck, Ho, Kipnis, Upfal and Weathersby, "Efficient algorithms for all-to-all communications in
// multiport message-passing systems", 1997; Thakur, Rabenseifner and Gropp, "Optimization of collective
// communication operations in MPICH", 2005, section 4.1.
// Cost: ceil(log2 size) steps and chain; size ceil(log2 size) messages, of 1, 2, 4 ... and last of the
// missing blocks; (size - 1) n bytes. The original keeps the blocks in an order of its own and rotates them
// at the end. Here they are received at their places; only a message that wraps past the last rank (or, with
// unequal blocks, spans a gap) is copied.
//
// Size 6, which blocks each rank has:
//   step       0        1        2        3        4        5
//   start      a        b        c        d        e        f
//   1 block    ab       bc       cd       de       ef       fa
//   2 blocks   abcd     bcde     cdef     defa     efab     fabc
//   2 blocks   abcdef   bcdefa   cdefab   defabc   efabcd   fabcde
//
// Restrictions: none. Blocks may be unequal.
#include <algorithm>

#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

namespace {

template <class BlocksOfRanks>
Task bruck(Group& group, const std::byte* own, BlocksOfRanks all)
{
    const int rank = group.rank();
    const int size = group.size();
    Group::copy(all[rank], {own, all[rank].size()});
    for (int distance = 1; distance < size; distance *= 2) {
        const int count = std::min(distance, size - distance);
        const int before = (rank - distance + size) % size;
        const int after = (rank + distance) % size;
        const Run outgoing(all, RanksInTurn(rank, count, size));
        const Run incoming(all, RanksInTurn(after, count, size));
        // Other ranks should not read memory that this rank has just written.
        const std::span<const std::byte> sent =
            distance == 1 ? std::span(own, all[rank].size()) : outgoing.packed();
        auto exchanged = group.exchange(before, sent, after, incoming.arriving());
        co_await exchanged;
        incoming.unpack();
    }
}

}  // namespace

Task allgather_bruck(Group& group, const std::byte* own, std::span<std::byte> all)
{
    return bruck(group, own, equal_blocks(all, group.size()));
}

Task allgatherv_bruck(Group& group, const std::byte* own, Blocks all)
{
    return bruck(group, own, all);
}

}  // namespace tutti::collectives
