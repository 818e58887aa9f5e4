// Pipelined chain broadcast: the ranks form a chain from the root on, and the data moves along it in
// segments. After the first segment has passed, all ranks receive and send at once.
//
// Source: textbook; Pjesivac-Grbovic and others, "Performance analysis of MPI collective operations", 2007,
// section 3 ("pipeline").
// Cost: segments + size - 2 steps, of n / segments bytes each, in a chain of size - 1; segments (size - 1)
// messages, (size - 1) n bytes in all. Every rank sends and receives n bytes once, which is the minimum: for
// long data and few ranks.
//
// Size 4, root 2, segments s t u:
//   step   2         3         0         1
//   1      s -> 3
//   2      t -> 3    s -> 0
//   3      u -> 3    t -> 0    s -> 1
//   4                u -> 0    t -> 1
//   5                          u -> 1
//
// Restrictions: none. segment_bytes >= 1; no data is one empty segment.
#include "collectives/framework/functions.hpp"
#include "collectives/framework/patterns.hpp"

namespace tutti::collectives {

Task broadcast_chain(Group& group, std::span<std::byte> data, int root, std::size_t segment_bytes)
{
    const int size = group.size();
    const int next = (group.rank() + 1) % size;
    const int previous = (group.rank() - 1 + size) % size;
    const patterns::Segments segments(data.size(), segment_bytes);
    const auto segment = [&](std::size_t index) {
        return data.subspan(segments[index].first, segments[index].count);
    };

    if (group.rank() == root) {
        OperationList sends;
        for (std::size_t index = 0; index < segments.count() && size > 1; ++index)
            sends.add(group.send(next, segment(index)));
        co_await when_all(std::move(sends));
        co_return;
    }
    // The next segment is received while this one is sent.
    Operation arriving = group.recv(previous, segment(0));
    Operation sent;
    for (std::size_t index = 0; index < segments.count(); ++index) {
        co_await arriving;
        if (index + 1 < segments.count())
            arriving = group.recv(previous, segment(index + 1));
        co_await sent;
        if (next != root)
            sent = group.send(next, segment(index));
    }
    co_await sent;
}

}  // namespace tutti::collectives
