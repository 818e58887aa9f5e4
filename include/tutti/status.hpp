// The status of a completed receive or probe: sender, tag and size.
#pragma once

#include <cstddef>

#include "tutti/error.hpp"

namespace tutti {

/// Wildcards of receives and probes.
inline constexpr int any_source = -1;
inline constexpr int any_tag = -2;
/// No peer: sends to it and receives from it complete at once and move nothing.
inline constexpr int null_rank = -3;

/// What a completed receive, or a probe, says of its message.
struct Status {
    int source = null_rank;               // rank of the sender in the communicator
    int tag = any_tag;                    // of the message
    std::size_t size_bytes = 0;           // of the sent message, also if the receive truncated it
    ErrorCode code = ErrorCode::success;  // of the operation
    bool cancelled = false;               // the receive was withdrawn before it matched

    /// Number of whole elements of T in the message.
    template <class T>
    std::size_t count() const noexcept
    {
        return size_bytes / sizeof(T);
    }
};

}  // namespace tutti
