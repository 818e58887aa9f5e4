// Shared broadcast: the root leaves the data in memory that all ranks read, chunk after chunk.
//
// Source: the release half of the release-gather of Jain and others, "Framework for scalable intra-node
// collective operations using shared memory", 2018; here with a count of each reader in place of the gather.
// Cost: no messages; the root writes n bytes, every other rank reads n. The root waits for nobody while some
// chunks of its stream are free, so that it runs ahead of its readers. Of two ranks: long data that the other
// one reads where it lies goes as a message (streamed_or_sent.hpp).
//
// Size 3, root 1, data of three chunks a b c:
//   position   rank 0      1           2
//   0          waits, a    publishes a waits, a
//   1          waits, b    publishes b waits, b
//   2          waits, c    publishes c waits, c
//
// Restrictions: the group has Streams.
#include <algorithm>

#include "collectives/functions.hpp"
#include "collectives/streamed_or_sent.hpp"

namespace tutti::collectives {

Task broadcast_shared(Group& group, std::span<std::byte> data, int root)
{
    if (is_told(group, data.size())) {
        Operation ready = ready_to_tell(group, root);
        co_await ready;
        if (comes_as_message(group, root, data)) {
            Task flat = broadcast_flat(group, data, root);
            co_await flat;
            co_return;
        }
    }
    Streams& streams = *group.streams();
    do {
        const std::span<std::byte> part = data.first(std::min(data.size(), streams.chunk_bytes()));
        data = data.subspan(part.size());
        if (group.rank() == root) {
            Operation room = streams.room();
            co_await room;
            Group::copy({streams.own_chunk(part.size()), part.size()}, part);
            streams.publish();
        } else {
            Operation published = streams.published(root);
            co_await published;
            Group::copy(part, {streams.chunk(root, part.size()), part.size()});
        }
        streams.pass();
    } while (!data.empty());
}

}  // namespace tutti::collectives
