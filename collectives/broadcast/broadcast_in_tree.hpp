// The common part of broadcasts of whole messages down a tree.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/framework/group.hpp"
#include "collectives/framework/task.hpp"

namespace tutti::collectives {

/// Every rank receives the data from its parent and sends it to its children, to the largest subtree first,
/// because its data has the longest way. `tree` is this rank's place.
template <class Tree>
Task broadcast_in_tree(Group& group, std::span<std::byte> data, Tree tree)
{
    if (!tree.is_root()) {
        Operation received = group.recv(tree.parent(), data);
        co_await received;
    }
    OperationList sends;
    for (int index = tree.child_count() - 1; index >= 0; --index)
        sends.add(group.send_ahead(tree.child(index), data));
    co_await when_all(std::move(sends));
}

}  // namespace tutti::collectives
