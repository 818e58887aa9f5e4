// Hierarchical reduce: inside each node to its leader, then among the leaders; the root leads its own node.
//
// Source: Karonis and others, "Exploiting hierarchy in parallel computer networks to optimize collective
// operation performance", 2000.
// Cost: with m nodes that of a reduce over the node's ranks inside each, then of one over m ranks between
// nodes; each phase uses the algorithm that the rules choose for its ranks and n. With binomial trees m - 1
// messages of n bytes between nodes and size - m inside.
//
// Nodes 0 = {0, 1, 2}, 1 = {3, 4}, root 0, operands a b c d e:
//   phase       0        1       2       3       4
//   inside      a b      -> 0    c       d e     -> 3
//               a b c            -> 0
//   leaders     a..e                     -> 0
//
// Restrictions: the node of each rank is known; for operators that do not commute the ranks of each node are
// consecutive.
#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/hierarchy/hierarchy.hpp"

namespace tutti::collectives {

Task reduce_hierarchical(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op)
{
    Hierarchy hierarchy(group, root);
    Scratch memory;
    Buffer of_node = out;
    if (hierarchy.is_leader() && of_node.data == nullptr) {
        memory = Group::scratch(of_node.size_bytes());
        of_node.data = memory.data();
    }
    Task inside = reduce(hierarchy.node(), in, of_node, hierarchy.leader(), op);
    co_await inside;
    if (hierarchy.is_leader()) {
        Task between = reduce(hierarchy.leaders(), of_node.data, of_node, hierarchy.root_node(), op);
        co_await between;
    }
}

}  // namespace tutti::collectives
