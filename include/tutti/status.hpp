// What a completed receive or probe tells: who sent, with which tag, how much.
#pragma once

#include <cstddef>

#include "tutti/error.hpp"

namespace tutti {

inline constexpr int any_source = -1;
inline constexpr int any_tag = -1;
/// A peer that is not there: sends to it and receives from it complete at once, with nothing moved.
inline constexpr int null_rank = -2;

struct Status {
    int source = null_rank;
    int tag = any_tag;
    std::size_t size_bytes = 0;  // of the message as it was sent, also when the receive truncated it
    ErrorCode code = ErrorCode::success;
    bool cancelled = false;

    /// Whole elements of T in the message.
    template <class T>
    std::size_t count() const noexcept
    {
        return size_bytes / sizeof(T);
    }
};

}  // namespace tutti
