// The abilities of libfabric, and the sizes that suit it.
#pragma once

#include "transports/transport.hpp"

namespace tutti::transport::ofi {

/// `adapter`: an RDMA adapter reads longer messages faster than they are copied twice.
constexpr Capabilities capabilities_of(std::size_t max_payload_bytes, bool adapter)
{
    return {.max_payload_bytes = max_payload_bytes,
            .inject_below = max_payload_bytes + 1,
            .eager_limit_bytes = adapter ? 16u << 10 : 64u << 10,
            .latency_ns = 5000,
            .bytes_per_ns = 8};
}

}  // namespace tutti::transport::ofi
