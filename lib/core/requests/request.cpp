#include "tutti/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "lib/core/calls/collective_request.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/requests/request_access.hpp"
#include "lib/core/requests/request_error.hpp"

namespace tutti {

namespace {

using detail::Process;
using detail::RequestState;

Process& process_of(const RequestState& state)
{
    return *static_cast<Process*>(state.owner);
}

// Gives the state back to where it came from. Under the lock.
void recycle(RequestState& state)
{
    Process& process = process_of(state);
    process.engine().request_ended();
    switch (state.kind) {
        case RequestState::Kind::send:
            process.sends.give_back(static_cast<protocol::SendRequest&>(state));
            return;
        case RequestState::Kind::receive:
            process.receives.give_back(static_cast<protocol::ReceiveRequest&>(state));
            return;
        case RequestState::Kind::collective:
            delete static_cast<detail::CollectiveRequest*>(&state);
            return;
    }
}

// So that nothing refers to the operation's state any more. A collective's own operations see to themselves.
void forget(protocol::Protocol& protocol, RequestState& state) noexcept
{
    if (state.kind == RequestState::Kind::send)
        protocol.forget(static_cast<protocol::SendRequest&>(state));
    else if (state.kind == RequestState::Kind::receive)
        protocol.forget(static_cast<protocol::ReceiveRequest&>(state));
}

// The process of the first active request; nullptr when none is.
Process* process_of_any(std::span<Request> requests)
{
    for (const Request& request : requests)
        if (request.active())
            return &process_of(*RequestAccess::state(request));
    return nullptr;
}

void set_awaited(RequestState& state, bool awaited) noexcept
{
    if (state.kind == RequestState::Kind::receive)
        static_cast<protocol::ReceiveRequest&>(state).awaited = awaited;
}

// nullptr where it is no collective.
const detail::CommunicatorGroup* call_of(const RequestState& state) noexcept
{
    return state.kind == RequestState::Kind::collective
               ? &static_cast<const detail::CollectiveRequest&>(state).group
               : nullptr;
}

void wait_for(progress::Engine::Lock& lock, RequestState& state)
{
    const detail::CallDiagnosis::Blocked blocked(process_of(state).calls(), call_of(state));
    set_awaited(state, true);
    process_of(state).engine().wait(lock, [&] { return state.done; });
    set_awaited(state, false);
}

// Whether all that are active are receives from any source in one communicator: where nobody is left there,
// none can end.
bool wait_for_anybody(std::span<Request> requests)
{
    std::optional<std::uint64_t> context;
    return std::ranges::all_of(requests, [&](const Request& request) {
        if (!request.active())
            return true;
        const RequestState& state = *RequestAccess::state(request);
        if (state.kind != RequestState::Kind::receive)
            return false;
        const auto& receive = static_cast<const protocol::ReceiveRequest&>(state);
        const bool same = context.value_or(receive.key.context) == receive.key.context;
        context = receive.key.context;
        return same && receive.peer_rank < 0;
    });
}

void set_all_awaited(std::span<Request> requests, bool awaited) noexcept
{
    for (const Request& request : requests)
        if (request.active())
            set_awaited(*RequestAccess::state(request), awaited);
}

bool is_done(const Request& request)
{
    return request.active() && RequestAccess::state(request)->done;
}

}  // namespace

// Takes the result of an operation that is done over; throws what it met. Under the lock.
void Request::finish()
{
    RequestState& state = *std::exchange(state_, nullptr);
    status_ = state.status;
    has_status_ = true;
    std::exception_ptr error;
    if (state.status.code != ErrorCode::success) [[unlikely]]
        error = detail::error_of(state);
    recycle(state);
    if (error) [[unlikely]]
        std::rethrow_exception(error);
}

// Nobody can end a collective any more whose wait has found that the ranks' calls differ, or that the job is
// broken. A message may still come: its request stays active.
void Request::give_up(ErrorCode why) noexcept
{
    if (state_->kind != RequestState::Kind::collective)
        return;
    status_ = {};
    status_.code = why;
    has_status_ = true;
    recycle(*std::exchange(state_, nullptr));
}

// Waits for an active operation.
void RequestAccess::finish(Request& request, progress::Engine::Lock& lock)
{
    try {
        if (!request.state_->done)
            wait_for(lock, *request.state_);
    } catch (const Error& error) {
        request.give_up(error.code());
        throw;
    }
    request.finish();
}

Status Request::wait()
{
    if (state_ != nullptr) {
        auto lock = process_of(*state_).engine().lock();
        RequestAccess::finish(*this, lock);
    }
    return status();
}

bool Request::test()
{
    if (state_ == nullptr)
        return true;
    progress::Engine& engine = process_of(*state_).engine();
    auto lock = engine.lock();
    if (!state_->done)
        engine.poll();
    if (!state_->done)
        return false;
    finish();
    return true;
}

bool Request::cancel()
{
    if (state_ == nullptr || state_->kind != RequestState::Kind::receive)
        return false;
    Process& process = process_of(*state_);
    auto lock = process.engine().lock();
    return process.protocol().cancel(static_cast<protocol::ReceiveRequest&>(*state_));
}

void Request::abandon() noexcept
{
    Process& process = process_of(*state_);
    if (process.engine().is_forked_copy())
        return;  // the parent's operation goes on
    try {
        // A receive that nothing has matched hurts nobody: it is simply withdrawn.
        if (std::uncaught_exceptions() > 0 && !cancel() && !state_->done)
            process.abort(
                1,
                "an exception destroyed a request of an operation under way; its peer would wait for ever");
        try {
            wait();
        } catch (const std::exception& error) {
            process.abort(1,
                          fmt::format("a request was destroyed without a wait, and its operation failed: {}",
                                      error.what()));
        }
    } catch (const Error&) {
        // Where ranks are threads, abort() throws: the job has ended and nothing moves any more.
        if (state_ != nullptr) {
            auto lock = process.engine().lock();
            forget(process.protocol(), *state_);
            recycle(*std::exchange(state_, nullptr));
        }
    }
}

void wait_all(std::span<Request> requests)
{
    Process* const process = process_of_any(requests);
    if (process == nullptr)
        return;
    std::exception_ptr first;
    auto lock = process->engine().lock();
    const progress::Engine::Waiting waiting(process->engine());
    for (Request& request : requests) {
        if (!request.active())
            continue;
        try {
            RequestAccess::finish(request, lock);
        } catch (...) {
            if (!first)
                first = std::current_exception();
        }
    }
    if (first)
        std::rethrow_exception(first);
}

std::optional<std::size_t> wait_any(std::span<Request> requests)
{
    Process* process = process_of_any(requests);
    if (process == nullptr)
        return std::nullopt;
    auto found = requests.end();
    {
        auto lock = process->engine().lock();
        const bool for_anybody = wait_for_anybody(requests);
        if (for_anybody)
            set_all_awaited(requests, true);
        process->engine().wait(lock, [&] {
            found = std::ranges::find_if(requests, is_done);
            return found != requests.end();
        });
        if (for_anybody)
            set_all_awaited(requests, false);
    }
    found->wait();
    return static_cast<std::size_t>(found - requests.begin());
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
    Process* process = process_of_any(requests);
    if (process == nullptr)
        return true;
    {
        auto lock = process->engine().lock();
        const auto all_done = [&] {
            return std::ranges::all_of(requests, [](const Request& r) { return !r.active() || is_done(r); });
        };
        if (!all_done()) {
            process->engine().poll();
            if (!all_done())
                return false;
        }
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
    Process* process = process_of_any(requests);
    if (process == nullptr)
        return 0;
    std::size_t count = 0;
    {
        auto lock = process->engine().lock();
        if (std::ranges::none_of(requests, is_done))
            process->engine().poll();
        for (std::size_t i = 0; i < requests.size() && count < indices.size(); ++i)
            if (is_done(requests[i]))
                indices[count++] = i;
    }
    for (std::size_t i = 0; i < count; ++i)
        requests[indices[i]].wait();
    return count;
}

}  // namespace tutti
