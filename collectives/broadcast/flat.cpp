// Flat broadcast: the root sends to every other rank.
//
// Source: textbook.
// Cost: size - 1 steps in a chain of 1; size - 1 messages of n bytes, all sent by the root. Good for few
// ranks and short messages, where starting a send costs the root less than a message needs to arrive.
//
// Size 5, root 2:
//   step   0       1       2      3       4
//   1      waits   waits   -> 3   waits   waits
//   2      waits   waits   -> 4           waits
//   3      waits   waits   -> 0
//   4              waits   -> 1
//
// Restrictions: none.
#include "collectives/framework/functions.hpp"

namespace tutti::collectives {

Task broadcast_flat(Group& group, std::span<std::byte> data, int root)
{
    if (group.rank() != root) {
        Operation received = group.recv(root, data);
        co_await received;
        co_return;
    }
    OperationList sends;
    for (int distance = 1; distance < group.size(); ++distance)
        sends.add(group.send((root + distance) % group.size(), data));
    co_await when_all(std::move(sends));
}

}  // namespace tutti::collectives
