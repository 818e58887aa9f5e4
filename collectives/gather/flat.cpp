// Flat gather: every rank sends its block to the root, which receives all of them at once, at their places.
//
// Source: textbook.
// Cost: size - 1 steps in a chain of 1; size - 1 messages of one block, n (size - 1) / size bytes. Every
// block travels once and is never copied: good for long blocks, and for few ranks.
//
// Size 5, root 2, blocks a b c d e:
//   step   0      1      2       3      4
//   1      -> 2   waits  a c     waits  waits
//   2             -> 2   abc     waits  waits
//   3                    abcd    -> 2   waits
//   4                    abcde          -> 2
//
// Restrictions: none. Blocks may be unequal; only the root needs to know the others' sizes.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

namespace {

template <class BlocksOfRanks>
Task flat(Group& group, std::span<const std::byte> own, BlocksOfRanks all, int root)
{
    if (group.rank() != root) {
        Operation sent = group.send(root, own);
        co_await sent;
        co_return;
    }
    OperationList receives;
    for (int peer = 0; peer < group.size(); ++peer)
        if (peer != root)
            receives.add(group.recv(peer, all[peer]));
    // A sender waits until its block has been read.
    receives.add(group.copy_with((root + 1) % group.size(), all[root], own));
    co_await when_all(std::move(receives));
}

}  // namespace

Task gather_flat(Group& group, std::span<const std::byte> own, std::byte* all, int root)
{
    return flat(group, own, EqualBlocks<std::byte>{all, own.size()}, root);
}

Task gatherv_flat(Group& group, std::span<const std::byte> own, Blocks all, int root)
{
    return flat(group, own, all, root);
}

}  // namespace tutti::collectives
