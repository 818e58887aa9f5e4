// Hierarchical allreduce: a reduce to the leader inside each node, an allreduce among the leaders, and a
// broadcast inside each node.
//
// Source: Karonis and others, "Exploiting hierarchy in parallel computer networks to optimize collective
// operation performance", 2000.
// Cost: with m nodes the sum of the three phases, each with the algorithm that the rules choose for its ranks
// and n. Between nodes only the messages of an allreduce over m ranks: m log2(m) of n bytes for short data, 2
// n bytes out of and into each node for long data. Other algorithms load these links up to as many times more
// as a node has ranks. Inside a node n bytes go to the leader and n come back.
//
// Nodes 0 = {0, 1, 2}, 1 = {3, 4}, operands a b c d e:
//   phase       0        1       2       3       4
//   reduce      a b c    -> 0    -> 0    d e     -> 3
//   leaders     a..e                     a..e
//   broadcast   a..e     a..e    a..e    a..e    a..e
//
// Restrictions: the node of each rank is known; for operators that do not commute the ranks of each node are
// consecutive. The leaders' results are bitwise equal, and each node copies its leader's.
#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/hierarchy/hierarchy.hpp"

namespace tutti::collectives {

Task allreduce_hierarchical(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    Hierarchy hierarchy(group, Hierarchy::kNoRoot);
    Task reduced = reduce(hierarchy.node(), in, out, hierarchy.leader(), op);
    co_await reduced;
    if (hierarchy.is_leader()) {
        Task between = allreduce(hierarchy.leaders(), out.data, out, op);
        co_await between;
    }
    Task copied = broadcast(hierarchy.node(), out.bytes(), hierarchy.leader());
    co_await copied;
}

}  // namespace tutti::collectives
