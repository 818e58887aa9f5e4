// Recursive doubling: in step k ranks that differ in bit k exchange all blocks that they have.
//
// Source: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH",
// 2005, section 4.1.
// Cost: log2(size) steps and chain; size log2(size) messages, of 1, 2, 4 ... blocks; (size - 1) n bytes.
//
// Size 4 (another number of ranks has no partner for every bit, see Restrictions; size 6 is in bruck.cpp):
//   step      0      1      2      3
//   start     a      b      c      d
//   bit 0     ab     ab     cd     cd
//   bit 1     abcd   abcd   abcd   abcd
//
// Restrictions: a power of two of ranks. Otherwise Bruck's algorithm runs, with as few steps and the same
// bytes. Blocks may be unequal; blocks with gaps between them are sent from a copy.
#include <bit>

#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

namespace {

template <class BlocksOfRanks>
Task recursive_doubling(Group& group, const std::byte* own, BlocksOfRanks all)
{
    const int rank = group.rank();
    const int size = group.size();
    Group::copy(all[rank], {own, all[rank].size()});
    for (int distance = 1; distance < size; distance *= 2) {
        // Aligned to `distance`: the blocks of all ranks that agree with this one in the higher bits.
        const int own_first = rank & ~(distance - 1);
        const Run outgoing(all, RanksInTurn(own_first, distance, size));
        const Run incoming(all, RanksInTurn(own_first ^ distance, distance, size));
        const int peer = rank ^ distance;
        // Other ranks should not read memory that this rank has just written.
        const std::span<const std::byte> sent =
            distance == 1 ? std::span(own, all[rank].size()) : outgoing.packed();
        auto exchanged = group.exchange(peer, sent, peer, incoming.arriving());
        co_await exchanged;
        incoming.unpack();
    }
}

bool is_power_of_two(int size)
{
    return std::has_single_bit(static_cast<unsigned>(size));
}

}  // namespace

Task allgather_recursive_doubling(Group& group, const std::byte* own, std::span<std::byte> all)
{
    return is_power_of_two(group.size()) ? recursive_doubling(group, own, equal_blocks(all, group.size()))
                                         : allgather_bruck(group, own, all);
}

Task allgatherv_recursive_doubling(Group& group, const std::byte* own, Blocks all)
{
    return is_power_of_two(group.size()) ? recursive_doubling(group, own, all)
                                         : allgatherv_bruck(group, own, all);
}

}  // namespace tutti::collectives
