// Binomial scatter: blocks descend through a binomial tree; every rank receives the blocks of its subtree as
// one message, keeps its own, and sends each child the blocks of the child's subtree.
//
// Source: textbook; Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", 2005, section 4.2.
// Cost: ceil(log2 size) steps in a chain of floor(log2 size); size - 1 messages, each of as many blocks as
// the receiver's subtree has ranks, in all about n log2(size) / 2 bytes. An inner rank needs memory for its
// subtree. For short blocks: the root starts ceil(log2 size) sends instead of size - 1, but a block travels
// up to floor(log2 size) times.
//
// Size 6, root 0, blocks a b c d e f (the largest subtree first, because its blocks have the longest way):
//   step   0        1       2       3       4       5
//   1      -> 4                             ef
//   2      -> 2             cd              -> 5    f
//   3      -> 1     b       -> 3    d
//
// The blocks of a subtree are those of consecutive ranks. With another root they may wrap past the last rank
// to rank 0: the root then sends that one message from a copy.
//
// Restrictions: equal blocks.
#include <vector>

#include "collectives/framework/functions.hpp"
#include "collectives/framework/patterns.hpp"

namespace tutti::collectives {

namespace {

Task scatter_from_root(Group& group, patterns::BinomialTree tree, EqualBlocks<const std::byte> all,
                       std::span<std::byte> own)
{
    std::vector<Run<const std::byte, EqualBlocks, RanksInTurn>> runs;
    OperationList sends;
    for (int index = tree.child_count() - 1; index >= 0; --index) {
        runs.emplace_back(all, RanksInTurn(tree.child(index), tree.child_ranks(index), group.size()));
        sends.add(group.send(tree.child(index), runs.back().packed()));
    }
    Group::copy(own, all[group.rank()]);
    co_await when_all(std::move(sends));
}

Task scatter_and_pass_on(Group& group, patterns::BinomialTree tree, std::span<std::byte> own)
{
    if (tree.child_count() == 0) {
        Operation received = group.recv(tree.parent(), own);
        co_await received;
        co_return;
    }
    const std::size_t block_bytes = own.size();
    // This rank's block, then child 0's subtree, child 1's, ...
    const Scratch subtree = Group::scratch(static_cast<std::size_t>(tree.ranks()) * block_bytes);
    Operation received = group.recv(tree.parent(), subtree.bytes());
    co_await received;
    OperationList sends;
    for (int index = tree.child_count() - 1; index >= 0; --index) {
        const std::size_t first = std::size_t{1} << index;
        const auto ranks = static_cast<std::size_t>(tree.child_ranks(index));
        sends.add(
            group.send(tree.child(index), subtree.bytes().subspan(first * block_bytes, ranks * block_bytes)));
    }
    Group::copy(own, subtree.bytes().first(block_bytes));
    co_await when_all(std::move(sends));
}

}  // namespace

Task scatter_binomial(Group& group, const std::byte* all, std::span<std::byte> own, int root)
{
    const patterns::BinomialTree tree(group.rank(), root, group.size());
    return tree.is_root() ? scatter_from_root(group, tree, EqualBlocks<const std::byte>{all, own.size()}, own)
                          : scatter_and_pass_on(group, tree, own);
}

}  // namespace tutti::collectives
