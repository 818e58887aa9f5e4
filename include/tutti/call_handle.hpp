// The three forms of a collective, and the result of a call in each of them.
#pragma once

#include <memory>
#include <utility>

#include "tutti/request.hpp"

namespace tutti::detail {

enum class Form : unsigned char { blocking, nonblocking, persistent };

/// Empty for a blocking call, the operation of a non-blocking one, or the starter of a persistent one. The
/// caller takes it once, by request(), persistent() or starter(). It is trivial to copy and destroy, so that
/// blocking calls pay nothing for it.
class CallHandle {
public:
    CallHandle() noexcept = default;
    explicit CallHandle(Request request) noexcept : state_(std::exchange(request.state_, nullptr)) {}
    explicit CallHandle(std::unique_ptr<Starter> starter) noexcept : starter_(starter.release()) {}

    Request request() const noexcept { return Request(state_); }
    PersistentRequest persistent() const noexcept { return PersistentRequest(starter()); }

    std::unique_ptr<Starter> starter() const noexcept { return std::unique_ptr<Starter>(starter_); }

    /// Keeps `what` alive until all operations of the call have ended.
    void keep(std::shared_ptr<void> what) const;

private:
    RequestState* state_ = nullptr;
    Starter* starter_ = nullptr;
};

}  // namespace tutti::detail
