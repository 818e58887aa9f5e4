// The abilities of shared memory, and the sizes that suit it.
#pragma once

#include "transports/transport.hpp"

namespace tutti::transport::shm {

/// Where ranks have a core each. How much fits into a frame depends on the number of ranks, which share the
/// memory of rings: a transport puts its own number in place of this one.
inline constexpr Capabilities kCapabilities{
    .max_payload_bytes = 16u << 10,
    .inject_below = 16u << 10,
    // A quarter of the largest ring: the sender is still writing when the receiver's answer comes, and does not
    // wait for it. An unexpected message's early bytes are copied once more.
    .early_bytes = 64u << 10,
    // Both ranks work on a message at once, one behind the other by so much.
    .piece_bytes = 8u << 10,
    .same_clock = true,
    .latency_ns = 80,
    .bytes_per_ns = 20};

}  // namespace tutti::transport::shm
