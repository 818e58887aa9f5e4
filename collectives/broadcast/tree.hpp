// What broadcasts of whole messages down a tree have in common.
#pragma once

#include <cstddef>
#include <span>

#include "collectives/group.hpp"
#include "collectives/task.hpp"

namespace tutti::collectives {

/// Every rank takes the data from its parent and hands it to its children, that with the largest subtree
/// first, for it has the longest way to go. `tree` is this rank's place.
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
