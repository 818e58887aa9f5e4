// Whether an operation of this process failed because another rank ended. Then this rank is not the one that
// failed.
#pragma once

#include <atomic>
#include <exception>

#include "tutti/error.hpp"

namespace torch_tutti {

inline std::atomic<bool> has_lost_peer{false};

/// Called with the error of each operation that failed.
inline void note_failure(const std::exception_ptr& failure) noexcept
{
    try {
        std::rethrow_exception(failure);
    } catch (const tutti::Error& error) {
        if (error.code() == tutti::ErrorCode::peer_lost)
            has_lost_peer = true;
    } catch (...) {  // NOLINT: of no concern here
    }
}

}  // namespace torch_tutti
