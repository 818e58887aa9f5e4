// Flat allgather: every rank sends its block to every other rank, all at once.
//
// Source: textbook.
// Cost: size - 1 steps in a chain of 1; size (size - 1) messages of one block, size - 1 of them sent by each
// rank; (size - 1) n bytes. Good for few ranks, and for more ranks than cores: no rank waits for a message
// that itself had to wait.
//
// Size 5, the destination of each rank and the block that it receives (ranks modulo 5, so that in each step a
// rank receives from one rank only):
//   step   0            1            2            3            4
//   1      -> 1  gets e  -> 2  gets a  -> 3  gets b  -> 4  gets c  -> 0  gets d
//   2      -> 2  gets d  -> 3  gets e  -> 4  gets a  -> 0  gets b  -> 1  gets c
//   3      -> 3  gets c  -> 4  gets d  -> 0  gets e  -> 1  gets a  -> 2  gets b
//   4      -> 4  gets b  -> 0  gets c  -> 1  gets d  -> 2  gets e  -> 3  gets a
//
// Restrictions: none. Blocks may be unequal.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

namespace {

template <class BlocksOfRanks>
Task flat(Group& group, const std::byte* own, BlocksOfRanks all)
{
    const int rank = group.rank();
    const int size = group.size();
    OperationList operations;
    for (int distance = 1; distance < size; ++distance)
        operations.add(group.send((rank + distance) % size, {own, all[rank].size()}));
    for (int distance = 1; distance < size; ++distance) {
        const int below = (rank - distance + size) % size;
        operations.add(group.recv(below, all[below]));
    }
    Group::copy(all[rank], {own, all[rank].size()});
    co_await when_all(std::move(operations));
}

}  // namespace

Task allgather_flat(Group& group, const std::byte* own, std::span<std::byte> all)
{
    return flat(group, own, equal_blocks(all, group.size()));
}

Task allgatherv_flat(Group& group, const std::byte* own, Blocks all)
{
    return flat(group, own, all);
}

}  // namespace tutti::collectives
