// What every operation under way has in common, whoever waits for it.
#pragma once

#include <memory>

#include "lib/foundation/datatype/typemap.hpp"
#include "tutti/error.hpp"
#include "tutti/status.hpp"

namespace tutti::detail {

/// Read and written under the engine's lock only. Owned by the one who waits: a public Request, a blocking
/// call's stack frame or a collective.
struct RequestState {
    enum class Kind : unsigned char { send, receive, collective };

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
    datatype::TypemapRef layout;  // likewise; of a buffer that is not contiguous
    void* owner = nullptr;        // whoever gave it out and takes it back
    void (*on_finish)(RequestState&) noexcept = nullptr;
};

}  // namespace tutti::detail
