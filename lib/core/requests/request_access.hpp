// How the library fills and empties a user's Request.
#pragma once

#include <memory>
#include <utility>

#include "lib/core/job/process.hpp"
#include "lib/engine/request/request_state.hpp"
#include "tutti/request.hpp"

namespace tutti {

struct RequestAccess {
    /// A request for an operation under way, of the process that its state names as owner. Under the lock.
    static Request active(detail::RequestState& state, std::shared_ptr<void> keep = nullptr) noexcept
    {
        static_cast<detail::Process*>(state.owner)->engine().request_started();
        Request request;
        request.state_ = &state;
        state.keep = std::move(keep);
        return request;
    }
    /// One that was complete at once.
    static Request complete(const Status& status) noexcept
    {
        Request request;
        request.status_ = status;
        request.has_status_ = true;
        return request;
    }
    /// Makes `what` live as long as the operation, on top of what does so already. Throws std::bad_alloc.
    static void keep(detail::RequestState& state, std::shared_ptr<void> what)
    {
        std::shared_ptr<void>& kept = state.keep;
        if (kept != nullptr)
            what = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(std::move(kept),
                                                                                             std::move(what));
        kept = std::move(what);
    }
    /// Takes over what has come of an operation that is done, and throws what it met. Under the lock.
    static void finish(Request& request) { request.finish(); }
    static detail::RequestState* state(const Request& request) noexcept { return request.state_; }
};

}  // namespace tutti
