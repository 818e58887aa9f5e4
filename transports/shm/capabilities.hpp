// The abilities of shared memory, and the sizes that suit it.
#pragma once

#include "transports/shm/ring_memory.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::shm {

/// Of a node with so many ranks, each of which has a core: each has a ring for every rank.
inline Capabilities capabilities_of(std::size_t ranks)
{
    const std::size_t frame = RingMemory{.size = ring_bytes(ranks)}.max_payload();
    return {.max_payload_bytes = frame,
            .inject_below = frame,
            // A quarter of the largest ring: the sender is still writing when the receiver's answer comes,
            // and does not wait for it. An unexpected message's early bytes are copied once more.
            .early_bytes = 64u << 10,
            // Both ranks work on a message at once, one behind the other by so much.
            .piece_bytes = 8u << 10,
            .same_clock = true,
            .latency_ns = 80,
            .bytes_per_ns = 20};
}

}  // namespace tutti::transport::shm
