// Hierarchical broadcast: first among the leaders of nodes (the root leads its node), then inside each node.
//
// Source: Karonis and others, "Exploiting hierarchy in parallel computer networks to optimize collective
// operation performance", 2000.
// Cost: with m nodes that of a broadcast over m ranks between nodes, then of one over the node's ranks inside
// each; each phase uses the algorithm that the rules choose for its ranks and n. With binomial trees m - 1
// messages of n bytes between nodes and size - m inside.
//
// Nodes 0 = {0, 1, 2}, 1 = {3, 4}, root 1:
//   phase       0       1       2       3       4
//   leaders             -> 3            n
//   inside              -> 0            -> 4
//               n       -> 2    n               n
//
// Restrictions: the node of each rank is known.
#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/hierarchy/hierarchy.hpp"

namespace tutti::collectives {

Task broadcast_hierarchical(Group& group, std::span<std::byte> data, int root)
{
    Hierarchy hierarchy(group, root);
    if (hierarchy.is_leader()) {
        Task between = broadcast(hierarchy.leaders(), data, hierarchy.root_node());
        co_await between;
    }
    Task inside = broadcast(hierarchy.node(), data, hierarchy.leader());
    co_await inside;
}

}  // namespace tutti::collectives
