// The state that all operations have in common.
#pragma once

#include <exception>
#include <memory>

#include "lib/foundation/datatype/typemap.hpp"
#include "tutti/error.hpp"
#include "tutti/status.hpp"

namespace tutti::detail {

/// Read and written only under the engine's lock. Its waiter owns it: a public Request, a blocking call's
/// stack frame or a collective.
struct RequestState {
    enum class Kind : unsigned char { send, receive, collective, window, own };

    explicit RequestState(Kind which) noexcept : kind(which) {}
    RequestState(const RequestState&) = delete;
    RequestState& operator=(const RequestState&) = delete;

    /// Ends the operation. The hook runs last and may destroy the state.
    void finish(ErrorCode result) noexcept
    {
        status.code = result;
        done = true;
        if (on_finish != nullptr)
            on_finish(*this);
    }

    Kind kind;
    bool done = false;
    Status status{};
    std::shared_ptr<void> keep;   // a moved-in buffer, alive as long as the operation
    datatype::TypemapRef layout;  // likewise; for a buffer that is not contiguous
    void* owner = nullptr;        // the Process that gave the state out and takes it back
    void (*on_finish)(RequestState&) noexcept = nullptr;
};

/// An operation that an interface above the library completes, with an error of its own.
struct OwnRequest : RequestState {
    OwnRequest() noexcept : RequestState(Kind::own) {}

    /// The error of the completed operation; nullptr if there is none.
    virtual std::exception_ptr failure() = 0;
    /// Its handle is gone: the operation may destroy itself. Under the lock.
    virtual void recycle() noexcept = 0;

protected:
    ~OwnRequest() = default;
};

}  // namespace tutti::detail
