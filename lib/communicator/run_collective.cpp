#include "lib/communicator/run_collective.hpp"

#include <fmt/format.h>

namespace tutti::detail {

void collective_ended(void* context) noexcept
{
    auto& request = *static_cast<CollectiveRequest*>(context);
    // The coroutine is still in its final suspension: whether it failed shows in what rethrow() does.
    ErrorCode result = ErrorCode::success;
    try {
        request.task.rethrow();
        if (request.after)
            request.after();
    } catch (const Error& error) {
        result = error.code();
    } catch (...) {
        result = ErrorCode::internal;
    }
    request.finish(result);
}

void check_root(const CommunicatorState& state, std::string_view operation, int root)
{
    if (root < 0 || root >= state.size())
        throw Error(ErrorCode::invalid_rank, operation,
                    fmt::format("the root {} is no rank of this communicator; its ranks are 0 to {}", root,
                                state.size() - 1),
                    root);
}

}  // namespace tutti::detail
