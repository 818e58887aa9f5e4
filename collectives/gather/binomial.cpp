// Binomial gather: blocks rise through a binomial tree; every rank receives the blocks of its children's
// subtrees and sends them with its own to its parent as one message.
//
// Source: textbook; the mirror of the scatter in Thakur, Rabenseifner and Gropp, "Optimization of collective
// communication operations in MPICH", 2005, section 4.2.
// Cost: ceil(log2 size) steps in a chain of floor(log2 size); size - 1 messages, each of as many blocks as
// the sender's subtree has ranks, in all about n log2(size) / 2 bytes. An inner rank needs memory for its
// subtree. For short blocks: the root starts ceil(log2 size) receives instead of size - 1, but a block
// travels up to floor(log2 size) times.
//
// Size 6, root 0, blocks a b c d e f (tree 0 -> 1, 2, 4; 2 -> 3; 4 -> 5):
//   step   0        1      2      3      4      5
//   1      ab       -> 0   cd     -> 2   ef     -> 4
//   2      abcd            -> 0
//   3      abcdef                        -> 0
//
// The blocks of a subtree are those of consecutive ranks. With another root they may wrap past the last rank
// to rank 0: the root then receives that one message separately and copies its two parts to their places.
//
// Restrictions: equal blocks.
#include <vector>

#include "collectives/framework/functions.hpp"
#include "collectives/framework/patterns.hpp"

namespace tutti::collectives {

namespace {

Task gather_at_root(Group& group, patterns::BinomialTree tree, std::span<const std::byte> own,
                    EqualBlocks<std::byte> all)
{
    std::vector<Run<std::byte, EqualBlocks, RanksInTurn>> runs;
    OperationList receives;
    for (int index = 0; index < tree.child_count(); ++index) {
        runs.emplace_back(all, RanksInTurn(tree.child(index), tree.child_ranks(index), group.size()));
        receives.add(group.recv(tree.child(index), runs.back().arriving()));
    }
    Group::copy(all[group.rank()], own);
    co_await when_all(std::move(receives));
    for (const Run<std::byte, EqualBlocks, RanksInTurn>& run : runs)
        run.unpack();
}

Task gather_and_pass_on(Group& group, patterns::BinomialTree tree, std::span<const std::byte> own)
{
    const std::size_t block_bytes = own.size();
    Scratch subtree;
    std::span<const std::byte> outgoing = own;
    if (tree.child_count() > 0) {
        // This rank's block, then child 0's subtree, child 1's, ...
        subtree = Group::scratch(static_cast<std::size_t>(tree.ranks()) * block_bytes);
        OperationList receives;
        for (int index = 0; index < tree.child_count(); ++index) {
            const std::size_t first = std::size_t{1} << index;
            const auto ranks = static_cast<std::size_t>(tree.child_ranks(index));
            receives.add(group.recv(tree.child(index),
                                    subtree.bytes().subspan(first * block_bytes, ranks * block_bytes)));
        }
        Group::copy(subtree.bytes().first(block_bytes), own);
        co_await when_all(std::move(receives));
        outgoing = subtree.bytes();
    }
    Operation sent = group.send(tree.parent(), outgoing);
    co_await sent;
}

}  // namespace

Task gather_binomial(Group& group, std::span<const std::byte> own, std::byte* all, int root)
{
    const patterns::BinomialTree tree(group.rank(), root, group.size());
    return tree.is_root() ? gather_at_root(group, tree, own, EqualBlocks<std::byte>{all, own.size()})
                          : gather_and_pass_on(group, tree, own);
}

}  // namespace tutti::collectives
