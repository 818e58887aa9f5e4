// Binomial reduce: partial results rise through a binomial tree; every rank combines its children's, smallest
// subtree first, and sends the result to its parent.
//
// Source: textbook; Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", 2005, section 4.5.
// Cost: ceil(log2 size) steps in a chain of floor(log2 size), each followed by a reduction of n bytes; size -
// 1 messages of n bytes. One more step and message if the operator does not commute and the root is not rank
// 0.
//
// Size 6, root 0, operands a b c d e f (tree 0 -> 1, 2, 4; 2 -> 3; 4 -> 5):
//   step   0             1      2      3      4      5
//   1      a b           -> 0   c d    -> 2   e f    -> 4
//   2      a b c d              -> 0
//   3      a b c d e f                        -> 0
//
// Ranks are counted from the root, so with another root r the operands have the order r, r + 1, ..., 0, ...,
// r - 1. If the order matters, the tree's root is rank 0, which sends the result to the root.
//
// Restrictions: none; operators need not commute.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/patterns.hpp"
#include "collectives/reduce/reduce_in_tree.hpp"

namespace tutti::collectives {

Task reduce_binomial(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op)
{
    const int top = op.commutative() ? root : 0;
    const patterns::BinomialTree tree(group.rank(), top, group.size());
    return reduce_in_tree(group, in, out, root, op, tree, top);
}

}  // namespace tutti::collectives
