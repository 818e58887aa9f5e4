#include "lib/core/communicators/running_collective.hpp"

namespace tutti::detail {

std::exception_ptr RunningCollective::failure()
{
    if (given_up)
        return given_up;
    try {
        group.rethrow(task);
    } catch (...) {
        return std::current_exception();
    }
    return std::make_exception_ptr(
        Error(ErrorCode::internal, "wait", "an operation failed without a reason"));
}

void RunningCollective::give_up(std::exception_ptr why) noexcept
{
    task = {};
    given_up = std::move(why);
    try {
        std::rethrow_exception(given_up);
    } catch (const Error& error) {
        finish(error.code());
    } catch (...) {
        finish(ErrorCode::internal);
    }
}

observe::CallWords RunningCollective::words_of_wait() const noexcept
{
    return group.words_of_wait();
}

std::vector<int> RunningCollective::absent(progress::Engine::Lock& lock, std::int64_t until_ns)
{
    return communicator->process().diagnosis().absent(lock, *communicator, group.place().number, until_ns);
}

void collective_ended(void* context) noexcept
{
    auto& request = *static_cast<RunningCollective*>(context);
    ++request.communicator->process().collectives_ended;
    // The coroutine is still in its final suspension: rethrow() shows whether it failed.
    ErrorCode result = ErrorCode::success;
    try {
        request.task.rethrow();
    } catch (const Error& error) {
        result = error.code();
    } catch (...) {
        result = ErrorCode::internal;
    }
    request.status.size_bytes = request.moved_bytes();
    request.finish(result);
}

}  // namespace tutti::detail
