// K-nomial reduce: partial results rise through a binomial tree in base four, which is half as deep; every
// rank combines those of up to three children for each level of the tree.
//
// Source: textbook; Pjesivac-Grbovic and others, "Performance analysis of MPI collective operations", 2007,
// section 3, for trees in other bases than two.
// Cost: up to 3 ceil(log4 size) steps in a chain of at most ceil(log4 size), each followed by a reduction of
// n bytes; size - 1 messages of n bytes. One more step and message if the operator does not commute and the
// root is not rank 0. More messages arrive at once, and fewer hops follow each other, than in a binomial
// tree: for short data, if a message takes much longer than its receive.
//
// Size 6, root 0, operands a b c d e f (tree 0 -> 1, 2, 3, 4; 4 -> 5):
//   step   0             1      2      3      4      5
//   1      a b           -> 0                 e f    -> 4
//   2      a b c                -> 0
//   3      a b c d                     -> 0
//   4      a b c d e f                        -> 0
//
// The order of operands: as in reduce/binomial.cpp.
//
// Restrictions: none; operators need not commute.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/patterns.hpp"
#include "collectives/reduce/reduce_in_tree.hpp"

namespace tutti::collectives {

Task reduce_knomial(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op)
{
    const int top = op.commutative() ? root : 0;
    const patterns::KnomialTree tree(group.rank(), top, group.size(), patterns::kKnomialRadix);
    return reduce_in_tree(group, in, out, root, op, tree, top);
}

}  // namespace tutti::collectives
