#include "lib/core/calls/run_collective.hpp"

namespace tutti::detail {

void collective_ended(void* context) noexcept
{
    auto& request = *static_cast<CollectiveRequest*>(context);
    // The coroutine is still in its final suspension: rethrow() shows whether it failed.
    ErrorCode result = ErrorCode::success;
    try {
        request.task.rethrow();
    } catch (const Error& error) {
        result = error.code();
    } catch (...) {
        result = ErrorCode::internal;
    }
    request.finish(result);
}

void CallHandle::keep(std::shared_ptr<void> what) const
{
    if (Starter* const starter = started_by())
        starter->keep = std::move(what);
    else if (RequestState* const operation = state())
        RequestAccess::keep(*operation, std::move(what));
}

}  // namespace tutti::detail
