// The common part of reductions that rise through a tree.
#pragma once

#include <cstddef>

#include "collectives/framework/group.hpp"
#include "collectives/framework/task.hpp"

namespace tutti::collectives {

/// Every rank combines its children's partial results, smallest subtree first, and sends the result to its
/// parent. `tree` is this rank's place in a tree with root `top`, whose subtrees are consecutive ranks
/// counted from there. `top` sends the result to another root.
template <class Tree>
Task reduce_in_tree(Group& group, const std::byte* in, Buffer out, int root, ReduceOp op, Tree tree, int top)
{
    const std::size_t size_bytes = out.size_bytes();
    const int children = tree.child_count();

    Scratch memory;
    Buffer sum = out;
    if (sum.data == nullptr && children > 0) {
        memory = Group::scratch(size_bytes);
        sum.data = memory.data();
    }
    // A rank without children sends its operand from `in`.
    const std::byte* partial = in;
    for (int index = 0; index < children; ++index) {
        Operation combined = group.recv_reduce(tree.child(index), partial, sum, op, Side::right);
        co_await combined;
        partial = sum.data;
    }
    if (!tree.is_root()) {
        Operation sent = group.send(tree.parent(), {partial, size_bytes});
        co_await sent;
    } else if (top != root) {
        Operation sent = group.send(root, {partial, size_bytes});
        co_await sent;
    } else {
        Group::copy(out.bytes(), {partial, size_bytes});
    }
    if (top != root && group.rank() == root) {
        Operation received = group.recv(top, out.bytes());
        co_await received;
    }
}

}  // namespace tutti::collectives
