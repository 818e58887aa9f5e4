// The status of a completed receive or probe: sender, tag and size.
#pragma once

#include <cstddef>

#include "tutti/error.hpp"

namespace tutti {

inline constexpr int any_source = -1;
inline constexpr int any_tag = -2;
/// No peer: sends to it and receives from it complete at once and move nothing.
inline constexpr int null_rank = -3;

struct Status {
    int source = null_rank;
    int tag = any_tag;
    std::size_t size_bytes = 0;  // of the sent message, also if the receive truncated it
    ErrorCode code = ErrorCode::success;
    bool cancelled = false;

    /// Number of whole elements of T in the message.
    template <class T>
    std::size_t count() const noexcept
    {
        return size_bytes / sizeof(T);
    }
};

}  // namespace tutti
