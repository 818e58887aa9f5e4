// K-nomial broadcast: a binomial tree in base four. Each rank hands the data to up to three others for each
// level of the tree, so that the tree is half as deep.
//
// Source: textbook; Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in
// MPICH", 2005, section 4.2, for base two; Pjesivac-Grbovic and others, "Performance analysis of MPI
// collective operations", 2007, section 3, for others.
// Cost: up to 3 ceil(log4 size) steps in a chain of at most ceil(log4 size); size - 1 messages of n bytes. It
// trades sends that a rank can have under way at once for hops that follow each other: for short data where a
// message takes much longer than to start one.
//
// Size 6, root 0 (the largest subtree first):
//   step   0       1       2       3       4       5
//   1      -> 4                            waits
//   2      -> 3                    waits   -> 5    waits
//   3      -> 2            waits
//   4      -> 1    waits
//
// Restrictions: none.
#include "collectives/broadcast/tree.hpp"
#include "collectives/functions.hpp"
#include "collectives/patterns.hpp"

namespace tutti::collectives {

Task broadcast_knomial(Group& group, std::span<std::byte> data, int root)
{
    return broadcast_in_tree(
        group, data, patterns::KnomialTree(group.rank(), root, group.size(), patterns::kKnomialRadix));
}

}  // namespace tutti::collectives
