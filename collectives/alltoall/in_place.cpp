// All-to-all in place: in every step ranks exchange blocks in pairs. Each pair has one step, and the arriving
// block replaces the block sent to the same rank.
//
// Source: the pairs are those of a round-robin tournament (circle method).
// Cost: size - 1 steps and chain for an even number of ranks. With an odd number each rank has no partner in
// one of size rounds, and ranks that run ahead delay others: size + 1 steps if sends wait for their
// receivers, (3 size - 1) / 2 if not, in a chain of size (nothing for one rank). size (size - 1) messages of
// one block. No memory if the block has left when send returns, as short ones have; else one block, into
// which the other one arrives.
//
// With an odd number m of ranks, two ranks exchange in the round that equals their sum modulo m; the rank
// whose double equals the round has no partner. With an even number its partner is the last rank, which takes
// no other part. Size 6, m = 5, the partner of each rank (for size 5: without rank 5):
//   round   0    1    2    3    4    5
//   0       5    4    3    2    1    0
//   1       1    0    4    5    2    3
//   2       2    5    0    4    3    1
//   3       3    2    1    0    5    4
//   4       4    3    5    1    0    2
//
// Restrictions: two ranks send each other equal sizes. Otherwise blocks may be unequal.
#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

namespace {

/// The partner of `rank` in a round; the rank itself if it has none.
int partner(int rank, int size, int round) noexcept
{
    const bool even = size % 2 == 0;
    const int last = size - 1;
    const int circle = even ? last : size;
    if (even && rank == last)
        return round % 2 == 0 ? round / 2 : (round + circle) / 2;
    const int met = (round - rank + circle) % circle;
    return met == rank && even ? last : met;
}

template <class BlocksOfRanks>
Task in_place(Group& group, BlocksOfRanks data)
{
    const int rank = group.rank();
    const int size = group.size();
    const int rounds = size % 2 == 0 ? size - 1 : size;
    for (int round = 0; round < rounds; ++round) {
        const int peer = partner(rank, size, round);
        if (peer == rank)
            continue;
        const std::span<std::byte> block = data[peer];
        Operation sent = group.send(peer, block);
        if (sent.done()) {
            sent.finish();
            Operation received = group.recv(peer, block);
            co_await received;
            continue;
        }
        const Scratch arriving = Group::scratch(block.size());
        const std::span<std::byte> incoming = arriving.bytes();
        Operation received = group.recv(peer, incoming);
        co_await when_all(std::move(received), std::move(sent));
        Group::copy(block, incoming);
    }
}

}  // namespace

Task alltoall_in_pairs(Group& group, std::span<std::byte> data)
{
    return in_place(group, equal_blocks(data, group.size()));
}

Task alltoallv_in_place(Group& group, Blocks data, Selection)
{
    group.announce({.kind = CallKind::alltoallv_in_place});
    return in_place(group, data);
}

}  // namespace tutti::collectives
