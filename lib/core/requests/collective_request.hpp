// The request of a non-blocking collective, as waits and tests see it. What it runs is the communicators'
// (lib/core/communicators/running_collective.hpp).
#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "lib/core/process/waits.hpp"
#include "lib/engine/progress/engine.hpp"
#include "lib/engine/request/request_state.hpp"
#include "lib/foundation/observe/status_page.hpp"

namespace tutti::detail {

/// Under the engine's lock.
struct CollectiveRequest : RequestState {
    CollectiveRequest() noexcept : RequestState(Kind::collective) {}
    virtual ~CollectiveRequest() = default;

    /// The error of a call that has ended and failed.
    virtual std::exception_ptr failure() = 0;
    /// No wait can end the call: it moves no more data, and its error is `why`.
    virtual void give_up(std::exception_ptr why) noexcept = 0;
    virtual CallPlace place() const noexcept = 0;
    /// A wait for its end, on the status page.
    virtual observe::CallWords words_of_wait() const noexcept = 0;
    /// The members that have not made the call: Diagnosis::absent().
    virtual std::vector<int> absent(progress::Engine::Lock& lock, std::int64_t until_ns) = 0;
};

}  // namespace tutti::detail
