// The request of an operation on memory that this process does not map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>

#include "lib/engine/request/request_state.hpp"
#include "lib/foundation/observe/status_page.hpp"

namespace tutti::detail {

struct WindowRequest : RequestState {
    WindowRequest() noexcept : RequestState(Kind::window) {}

    /// Ends the operation; `why`: its error.
    void succeed() noexcept
    {
        place = nullptr;
        finish(ErrorCode::success);
    }
    void fail(std::exception_ptr why) noexcept;
    /// Of an unfinished operation, for a caller that gives up once no data move.
    void forget() noexcept;

    // For reports.
    std::string_view operation;  // the call's name
    std::uint64_t context = 0;   // of the window's communicator
    int target = 0;              // a rank of the window
    int peer = 0;                // and of the job
    std::size_t bytes = 0;
    bool awaited = false;

    std::exception_ptr failure;
    WindowRequest** place = nullptr;  // where the operation refers to this, until it is complete
};

/// What the status page says of a wait at a window.
observe::CallWords window_call_words(std::uint64_t context, std::string_view operation, int target,
                                     std::size_t bytes) noexcept;

}  // namespace tutti::detail
