// Flat scatter: the root sends every rank its block, all at once.
//
// Source: textbook.
// Cost: size - 1 steps in a chain of 1; size - 1 messages of one block, n (size - 1) / size bytes. Every
// block travels once, directly to its place: good for long blocks, and for few ranks.
//
// Size 5, root 2, blocks a b c d e:
//   step   0      1      2      3      4
//   1      waits  waits  -> 3   d      waits
//   2      waits  waits  -> 4          e
//   3      a      waits  -> 0
//   4             b      -> 1
//
// Restrictions: none. Blocks may be unequal; only the root needs to know the others' sizes.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

namespace {

template <class BlocksOfRanks>
Task flat(Group& group, BlocksOfRanks all, std::span<std::byte> own, int root)
{
    if (group.rank() != root) {
        Operation received = group.recv(root, own);
        co_await received;
        co_return;
    }
    OperationList sends;
    for (int distance = 1; distance < group.size(); ++distance) {
        const int peer = (root + distance) % group.size();
        sends.add(group.send(peer, all[peer]));
    }
    Group::copy(own, all[root]);
    co_await when_all(std::move(sends));
}

}  // namespace

Task scatter_flat(Group& group, const std::byte* all, std::span<std::byte> own, int root)
{
    return flat(group, EqualBlocks<const std::byte>{all, own.size()}, own, root);
}

Task scatterv_flat(Group& group, ConstBlocks all, std::span<std::byte> own, int root)
{
    return flat(group, all, own, root);
}

}  // namespace tutti::collectives
