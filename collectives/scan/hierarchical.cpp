// Hierarchical scan and exscan: a scan inside each node, an exscan of the nodes' sums among their highest
// ranks, and a broadcast inside each node of the sum of the nodes below, which every rank combines on the
// left of its own result.
//
// Source: textbook; the two levels of Sanders and Träff, "Parallel prefix (scan) algorithms for MPI", 2006.
// Cost: with m nodes that of a scan over the node's ranks, an exscan over m and a broadcast over the node's
// ranks, each with the algorithm that the rules choose for its ranks and n; between nodes only the messages
// of the exscan over m ranks.
//
// Nodes 0 = {0, 1, 2}, 1 = {3, 4}, operands a b c d e, scan:
//   phase       0     1     2      3       4
//   inside      a     ab    abc    d       de
//   leaders                 -> 4           abc
//   broadcast   a     ab    abc    abcd    abcde
//
// Restrictions: the ranks of each node are consecutive. Operators need not commute.
#include "collectives/collectives.hpp"
#include "collectives/framework/functions.hpp"
#include "collectives/hierarchy/hierarchy.hpp"

namespace tutti::collectives {

namespace {

/// Combines the operands of all ranks of lower nodes into `below`, at every rank of all nodes but the first.
/// `of_node`: the combined operands of this node's ranks, at its leader.
Task from_lower_nodes(Hierarchy& hierarchy, const std::byte* of_node, Buffer below, ReduceOp op)
{
    if (hierarchy.is_leader()) {
        Task between = exscan(hierarchy.leaders(), of_node, below, op);
        co_await between;
    }
    if (hierarchy.own_node() != 0) {
        Task passed_on = broadcast(hierarchy.node(), below.bytes(), hierarchy.leader());
        co_await passed_on;
    }
}

}  // namespace

Task scan_hierarchical(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    Hierarchy hierarchy(group, Hierarchy::HighestLead());
    Task inside = scan(hierarchy.node(), in, out, op);
    co_await inside;
    const Scratch memory = Group::scratch(out.size_bytes());
    const Buffer below{memory.data(), out.count, out.element_bytes};
    Task received = from_lower_nodes(hierarchy, out.data, below, op);
    co_await received;
    if (hierarchy.own_node() != 0)
        Group::reduce(out.data, below.data, out.data, out.count, op);
}

Task exscan_hierarchical(Group& group, const std::byte* in, Buffer out, ReduceOp op)
{
    Hierarchy hierarchy(group, Hierarchy::HighestLead());
    const bool is_first = hierarchy.node().rank() == 0;
    // The exscan may be in place, and the node's sum includes the leader's operand.
    const Scratch sum = Group::scratch(hierarchy.is_leader() ? out.size_bytes() : 0);
    if (hierarchy.is_leader())
        Group::copy(sum.bytes(), {in, out.size_bytes()});
    Task inside = exscan(hierarchy.node(), in, out, op);
    co_await inside;
    if (hierarchy.is_leader() && !is_first)
        Group::reduce(sum.data(), out.data, sum.data(), out.count, op);
    const Scratch memory = Group::scratch(out.size_bytes());
    const Buffer below{memory.data(), out.count, out.element_bytes};
    Task received = from_lower_nodes(hierarchy, sum.data(), below, op);
    co_await received;
    if (hierarchy.own_node() == 0)
        co_return;
    if (is_first)
        Group::copy(out.bytes(), below.bytes());
    else
        Group::reduce(out.data, below.data, out.data, out.count, op);
}

}  // namespace tutti::collectives
