// The three forms of a collective, and what a call in one of them leaves behind.
#pragma once

#include <memory>
#include <utility>

#include "tutti/request.hpp"

namespace tutti::detail {

enum class Form : unsigned char { blocking, nonblocking, persistent };

/// Nothing of a blocking call, the operation under way of a non-blocking one, or what starts a persistent
/// one. Whoever made the call takes it over by request() or persistent(), once. Trivial to copy and destroy,
/// so that blocking calls, which leave nothing, pay nothing for it.
class CallHandle {
public:
    CallHandle() noexcept = default;
    explicit CallHandle(Request request) noexcept : state_(std::exchange(request.state_, nullptr)) {}
    explicit CallHandle(std::unique_ptr<Starter> starter) noexcept : starter_(starter.release()) {}

    Request request() const noexcept { return Request(state_); }
    PersistentRequest persistent() const noexcept
    {
        return PersistentRequest(std::unique_ptr<Starter>(starter_));
    }

    /// Makes `what` live as long as all operations do that come of the call.
    void keep(std::shared_ptr<void> what) const;

private:
    RequestState* state_ = nullptr;
    Starter* starter_ = nullptr;
};

}  // namespace tutti::detail
