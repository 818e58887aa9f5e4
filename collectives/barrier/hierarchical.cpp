// Hierarchical barrier: the ranks of each node report to their leader, the leaders run a dissemination
// barrier, and each then releases its node.
//
// Source: textbook; the hierarchical collectives of Graham and others, "Cheetah: a framework for scalable
// hierarchical collective operations", 2011.
// Cost: with m nodes of at most k ranks ceil(log2 m) steps between nodes and 2 ceil(log2 k) inside; m
// ceil(log2 m) messages between nodes and 2 (size - m) inside.
//
// Nodes 0 = {0, 1, 2}, 1 = {3, 4}:
//   step   0            1       2       3            4
//   1                           -> 0                 -> 3
//   2                   -> 0
//   3      -> 3                         -> 0
//   4      -> 1                         -> 4
//   5      -> 2
//
// Restrictions: the node of each rank is known.
#include "collectives/framework/functions.hpp"
#include "collectives/hierarchy/hierarchy.hpp"

namespace tutti::collectives {

Task barrier_hierarchical(Group& group)
{
    Hierarchy hierarchy(group, Hierarchy::kNoRoot);
    // No data: the messages of the trees are empty.
    const ReduceOp nothing(reduction::Op::bor, reduction::DataType::uint8);
    Task reported = reduce_binomial(hierarchy.node(), nullptr, {}, hierarchy.leader(), nothing);
    co_await reported;
    if (hierarchy.is_leader()) {
        Task met = barrier_dissemination(hierarchy.leaders());
        co_await met;
    }
    Task released = broadcast_binomial(hierarchy.node(), {}, hierarchy.leader());
    co_await released;
}

}  // namespace tutti::collectives
