// The abilities of TCP, and the sizes that suit it.
#pragma once

#include "transports/tcp/send_queue.hpp"
#include "transports/tcp/tcp_frame.hpp"
#include "transports/transport.hpp"

namespace tutti::transport::tcp {

inline constexpr Capabilities kCapabilities{.max_payload_bytes = kMaxPayload,
                                            .inject_below = SendQueue::kCopyBelow,
                                            .gathers = true,
                                            .unites = true,
                                            .eager_limit_bytes = 256u << 10,
                                            .latency_ns = 5'000,
                                            .bytes_per_ns = 3};

}  // namespace tutti::transport::tcp
