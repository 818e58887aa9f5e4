// Pipelined binary tree broadcast: the data moves in segments down a complete binary tree, so that all levels
// receive and send at once.
//
// Source: textbook; Pjesivac-Grbovic and others, "Performance analysis of MPI collective operations", 2007,
// section 3 ("binary tree").
// Cost: with three ranks or more, 2 (segments - 1) steps after those of one segment, which are between
// floor(log2 size) and 2 floor(log2 size), of n / segments bytes each, in a chain of floor(log2 size);
// segments (size - 1) messages, (size - 1) n bytes in all. A rank sends n bytes twice, in a chain only once,
// but the last rank waits for log2 size others and not for all: for medium data and many ranks.
//
// Size 5, root 0, segments s t:
//   step   0         1         2         3         4
//   1      s -> 1
//   2      s -> 2    s -> 3
//   3      t -> 1    s -> 4              s
//   4      t -> 2    t -> 3                        s
//   5                t -> 4              t
//   6                                              t
//
// Restrictions: none. segment_bytes >= 1; no data is one empty segment.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/patterns.hpp"

namespace tutti::collectives {

Task broadcast_binary_tree(Group& group, std::span<std::byte> data, int root, std::size_t segment_bytes)
{
    const patterns::BinaryTree tree(group.rank(), root, group.size());
    const patterns::Segments segments(data.size(), segment_bytes);
    const auto segment = [&](std::size_t index) {
        return data.subspan(segments[index].first, segments[index].count);
    };

    // The next segment is received while this one is sent.
    Operation arriving;
    if (!tree.is_root())
        arriving = group.recv(tree.parent(), segment(0));
    OperationList sends;
    for (std::size_t index = 0; index < segments.count(); ++index) {
        if (!tree.is_root()) {
            co_await arriving;
            if (index + 1 < segments.count())
                arriving = group.recv(tree.parent(), segment(index + 1));
        }
        for (int child = 0; child < tree.child_count(); ++child)
            sends.add(group.send(tree.child(child), segment(index)));
    }
    co_await when_all(std::move(sends));
}

}  // namespace tutti::collectives
