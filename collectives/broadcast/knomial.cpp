// K-nomial broadcast: a binomial tree in base four. Each rank sends the data to up to three others for each
// level of the tree, which is half as deep.
//
// Source: textbook; Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", 2005, section 4.2, for base two; Pjesivac-Grbovic and others, "Performance analysis of MPI
// collective operations", 2007, section 3, for others.
// Cost: up to 3 ceil(log4 size) steps in a chain of at most ceil(log4 size); size - 1 messages of n bytes. It
// has more sends at once and fewer hops in sequence than a binomial tree: for short data, if a message takes
// much longer than its start.
//
// Size 6, root 0 (the largest subtree first):
//   step   0       1       2       3       4       5
//   1      -> 4                            waits
//   2      -> 3                    waits   -> 5    waits
//   3      -> 2            waits
//   4      -> 1    waits
//
// Restrictions: none.
#include "collectives/broadcast/broadcast_in_tree.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/framework/patterns.hpp"

namespace tutti::collectives {

Task broadcast_knomial(Group& group, std::span<std::byte> data, int root)
{
    return broadcast_in_tree(
        group, data, patterns::KnomialTree(group.rank(), root, group.size(), patterns::kKnomialRadix));
}

}  // namespace tutti::collectives
