// Binomial broadcast: in every step each rank that has the data sends it to one that does not, so that the
// number of ranks that have it doubles.
//
// Source: textbook; Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", 2005, section 4.2.
// Cost: ceil(log2 size) steps in a chain of floor(log2 size); size - 1 messages of n bytes, ceil(log2
// size) of them sent by the root.
//
// Size 6, root 0 (the largest subtree first, because its data has the longest way):
//   step   0       1       2       3       4       5
//   1      -> 4                            waits
//   2      -> 2            waits           -> 5    waits
//   3      -> 1    waits   -> 3    waits
// With root 2 the same happens with every rank moved up by 2, modulo 6.
//
// Restrictions: none.
#include "collectives/broadcast/broadcast_in_tree.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/framework/patterns.hpp"

namespace tutti::collectives {

Task broadcast_binomial(Group& group, std::span<std::byte> data, int root)
{
    return broadcast_in_tree(group, data, patterns::BinomialTree(group.rank(), root, group.size()));
}

}  // namespace tutti::collectives
