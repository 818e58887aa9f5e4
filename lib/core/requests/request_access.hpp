// How the library fills and empties a user's Request.
#pragma once

#include <memory>
#include <utility>

#include "lib/core/process/process.hpp"
#include "lib/engine/request/request_state.hpp"
#include "tutti/request.hpp"

namespace tutti {

struct RequestAccess {
    /// A request for an active operation of the process that its state names as owner. Under the lock.
    static Request active(detail::RequestState& state, std::shared_ptr<void> keep = nullptr) noexcept
    {
        static_cast<detail::Process*>(state.owner)->engine().request_started();
        Request request;
        request.state_ = &state;
        state.keep = std::move(keep);
        return request;
    }
    /// A request that is complete already.
    static Request complete(const Status& status) noexcept
    {
        Request request;
        request.status_ = status;
        request.has_status_ = true;
        return request;
    }
    /// Keeps `what` alive as long as the operation, besides what it keeps already. Throws std::bad_alloc.
    static void keep(detail::RequestState& state, std::shared_ptr<void> what)
    {
        std::shared_ptr<void>& kept = state.keep;
        if (kept != nullptr)
            what = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(std::move(kept),
                                                                                             std::move(what));
        kept = std::move(what);
    }
    /// Takes over the result of a completed operation and throws its error. Under the lock.
    static void finish(Request& request) { request.finish(); }
    /// Leaves the operation to the caller, and the request without one.
    static detail::RequestState* release(Request& request) noexcept
    {
        return std::exchange(request.state_, nullptr);
    }
    static detail::RequestState* state(const Request& request) noexcept { return request.state_; }
};

}  // namespace tutti
