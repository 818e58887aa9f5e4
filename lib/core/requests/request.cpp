#include "tutti/request.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "lib/core/process/process.hpp"
#include "lib/core/requests/collective_request.hpp"
#include "lib/core/requests/continuation.hpp"
#include "lib/core/requests/request_access.hpp"
#include "lib/core/requests/request_end.hpp"
#include "lib/core/requests/wait.hpp"

namespace tutti {

namespace {

using detail::kForEver;
using detail::Process;
using detail::RequestState;
using detail::States;

// detail::States reads a Request's first pointer.
static_assert(std::is_standard_layout_v<Request>);

std::int64_t end_of(std::chrono::nanoseconds limit)
{
    const std::int64_t now = base::now_ns();
    return limit.count() < kForEver - now ? now + limit.count() : kForEver;
}

}  // namespace

// Takes over the result of a completed operation and throws its error. Under the lock.
void Request::finish()
{
    RequestState& state = *std::exchange(state_, nullptr);
    status_ = state.status;
    has_status_ = true;
    if (state.status.code == ErrorCode::success) [[likely]]
        return detail::recycle(state);
    const std::exception_ptr failure = detail::failure_of(state);
    detail::recycle(state);
    std::rethrow_exception(failure);
}

Status Request::wait()
{
    if (state_ != nullptr) {
        auto lock = detail::process_of(*state_).engine().lock();
        detail::wait(lock, *state_);
        finish();
    }
    return status();
}

bool Request::wait_for(std::chrono::nanoseconds limit)
{
    if (state_ == nullptr)
        return true;
    auto lock = detail::process_of(*state_).engine().lock();
    if (!detail::wait(lock, *state_, end_of(limit)))
        return false;
    finish();
    return true;
}

bool Request::test()
{
    if (state_ == nullptr)
        return true;
    auto lock = detail::process_of(*state_).engine().lock();
    if (!detail::test(lock, *state_))
        return false;
    finish();
    return true;
}

bool Request::cancel()
{
    if (state_ == nullptr || state_->kind != RequestState::Kind::receive)
        return false;
    Process& process = detail::process_of(*state_);
    auto lock = process.engine().lock();
    return process.protocol().cancel(static_cast<protocol::ReceiveRequest&>(*state_));
}

void Request::give_up()
{
    if (state_ == nullptr)
        return;
    auto lock = detail::process_of(*state_).engine().lock();
    if (state_->kind != RequestState::Kind::collective)
        throw Error(ErrorCode::invalid_argument, "give_up",
                    "only a collective can be given up; cancel() a receive, and detach() a send");
    detail::recycle(*std::exchange(state_, nullptr));
    status_ = {};
    status_.code = ErrorCode::cancelled;
    has_status_ = true;
}

std::vector<int> Request::absent_ranks(std::chrono::nanoseconds patience)
{
    if (state_ == nullptr || state_->kind != RequestState::Kind::collective)
        return {};
    Process& process = detail::process_of(*state_);
    auto lock = process.engine().lock();
    return static_cast<detail::CollectiveRequest&>(*state_).absent(lock, end_of(patience));
}

void Request::then(std::function<void(const Status&, std::exception_ptr)> function) &&
{
    if (function == nullptr)
        throw Error(ErrorCode::invalid_argument, "then", "there is no function to call; use detach()");
    if (state_ == nullptr)
        return function(status(), nullptr);
    Process& process = detail::process_of(*state_);
    auto lock = process.engine().lock();
    process.continuations().let_go(*state_, std::move(function));
    state_ = nullptr;
}

void Request::detach() &&
{
    if (state_ == nullptr)
        return;
    Process& process = detail::process_of(*state_);
    auto lock = process.engine().lock();
    process.continuations().let_go(*state_, nullptr);
    state_ = nullptr;
}

void Request::abandon() noexcept
{
    Process& process = detail::process_of(*state_);
    if (process.engine().is_forked_copy())
        return;  // the parent's operation goes on
    try {
        // An unmatched receive is simply withdrawn.
        if (std::uncaught_exceptions() > 0 && !cancel() && !state_->done)
            process.abort(1, "an exception destroyed an active request; its peer would wait for ever");
        try {
            wait();
        } catch (const std::exception& error) {
            process.abort(1,
                          fmt::format("a request was destroyed without a wait, and its operation failed: {}",
                                      error.what()));
        }
    } catch (const Error&) {
        // If ranks are threads, abort() throws: the job has ended and no data moves.
        if (state_ != nullptr) {
            auto lock = process.engine().lock();
            detail::forget(*state_);
            detail::recycle(*std::exchange(state_, nullptr));
        }
    }
}

namespace {

// Waits for all; throws the first error after all are complete. False if the time is over.
bool wait_until(std::span<Request> requests, std::int64_t until_ns)
{
    Process* const process = States(requests).process();
    if (process == nullptr)
        return true;
    std::exception_ptr first;
    bool all = true;
    auto lock = process->engine().lock();
    const progress::Engine::Waiting waiting(process->engine());
    for (Request& request : requests) {
        if (!request.active())
            continue;
        try {
            if (detail::wait(lock, *RequestAccess::state(request), until_ns))
                RequestAccess::finish(request);
            else
                all = false;
        } catch (...) {
            if (!first)
                first = std::current_exception();
        }
    }
    if (first)
        std::rethrow_exception(first);
    return all;
}

std::optional<std::size_t> wait_any_until(std::span<Request> requests, std::int64_t until_ns)
{
    const States states(requests);
    Process* const process = states.process();
    if (process == nullptr)
        return std::nullopt;
    auto lock = process->engine().lock();
    const std::optional<std::size_t> found = detail::wait_any(lock, states, until_ns);
    if (found)
        RequestAccess::finish(requests[*found]);
    return found;
}

}  // namespace

void wait_all(std::span<Request> requests)
{
    wait_until(requests, kForEver);
}

bool wait_all_for(std::span<Request> requests, std::chrono::nanoseconds limit)
{
    return wait_until(requests, end_of(limit));
}

std::optional<std::size_t> wait_any(std::span<Request> requests)
{
    return wait_any_until(requests, kForEver);
}

std::optional<std::size_t> wait_any_for(std::span<Request> requests, std::chrono::nanoseconds limit)
{
    return wait_any_until(requests, end_of(limit));
}

std::size_t wait_some(std::span<Request> requests, std::span<std::size_t> indices)
{
    if (indices.empty())
        return 0;
    const auto first = wait_any(requests);
    if (!first)
        return 0;
    indices[0] = *first;
    return 1 + test_some(requests, indices.subspan(1));
}

bool test_all(std::span<Request> requests)
{
    const States states(requests);
    Process* const process = states.process();
    if (process == nullptr)
        return true;
    {
        auto lock = process->engine().lock();
        if (!detail::test_all(lock, states))
            return false;
    }
    wait_all(requests);
    return true;
}

std::optional<std::size_t> test_any(std::span<Request> requests)
{
    std::size_t index = 0;
    return test_some(requests, std::span(&index, 1)) == 1 ? std::optional(index) : std::nullopt;
}

std::size_t test_some(std::span<Request> requests, std::span<std::size_t> indices)
{
    const States states(requests);
    Process* const process = states.process();
    if (process == nullptr)
        return 0;
    auto lock = process->engine().lock();
    const std::size_t count = detail::test_some(lock, states, indices);
    for (std::size_t i = 0; i < count; ++i)
        RequestAccess::finish(requests[indices[i]]);
    return count;
}

}  // namespace tutti
