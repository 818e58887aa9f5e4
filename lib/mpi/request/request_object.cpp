#include "lib/mpi/request/request_object.hpp"

#include <fmt/format.h>

#include <new>

#include "lib/core/process/contexts.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/requests/collective_request.hpp"
#include "lib/core/requests/continuation.hpp"
#include "lib/core/requests/request_access.hpp"
#include "lib/core/requests/request_end.hpp"
#include "lib/mpi/object/error_handler.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/runtime.hpp"
#include "lib/mpi/object/status_form.hpp"
#include "tutti/call_handle.hpp"

namespace tutti::mpi {

using detail::RequestState;

namespace {

struct DoneRequest final : MpiRequest {
    DoneRequest() noexcept { done = true; }
    std::exception_ptr failure() override { return nullptr; }
    void recycle() noexcept override {}
};

// Never destroyed: a program may end without MPI_Finalize.
alignas(DoneRequest) constinit std::byte done_memory[sizeof(DoneRequest)]{};

DoneRequest& done_request() noexcept
{
    return *std::launder(reinterpret_cast<DoneRequest*>(done_memory));
}

MPI_Request handle_of(RequestState& state) noexcept
{
    return reinterpret_cast<MPI_Request>(&state);
}

RequestState& state_behind(MPI_Request handle) noexcept
{
    return *reinterpret_cast<RequestState*>(handle);
}

// The handle may be one of a request that has ended. Its memory may have been given back: its content is then
// not known, but it is no owner.
[[gnu::no_sanitize_address]] bool is_owned(MPI_Request handle) noexcept
{
    return state_behind(handle).owner == &Runtime::process();
}

// The communicator whose error handler takes the errors of the operation.
MPI_Comm communicator_of(const RequestState& state) noexcept
{
    switch (state.kind) {
        case RequestState::Kind::send:
            return communicator_with(static_cast<const protocol::SendRequest&>(state).envelope.context);
        case RequestState::Kind::receive:
            return communicator_with(static_cast<const protocol::ReceiveRequest&>(state).key.context);
        case RequestState::Kind::collective:
            return communicator_with(detail::message_context_of(
                static_cast<const detail::CollectiveRequest&>(state).place().context));
        case RequestState::Kind::window:  // a window has no communicator of the program's
            return MPI_COMM_NULL;
        case RequestState::Kind::own:
            return static_cast<const MpiRequest&>(state).communicator();
    }
    return MPI_COMM_NULL;
}

}  // namespace

MpiRequest::~MpiRequest()
{
    forget_handle(this);
    // Volatile: handles may still lead here, and the compiler would leave out a store into what ends.
    *const_cast<void* volatile*>(&owner) = nullptr;
}

int MpiRequest::let_go(progress::Engine::Lock&)
{
    mpi::let_go(*this);
    return MPI_SUCCESS;
}

void define_done_request(detail::Process& process) noexcept
{
    (::new (done_memory) DoneRequest)->owner = &process;
}

RequestState& done_operation() noexcept
{
    return done_request();
}

MpiRequest* mpi_request(MPI_Request handle) noexcept
{
    RequestState& state = state_behind(handle);
    return state.kind == RequestState::Kind::own ? static_cast<MpiRequest*>(&state) : nullptr;
}

RequestState* state_of(MPI_Request handle)
{
    if (handle == MPI_REQUEST_NULL)
        return nullptr;
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    if (value < 4096 || value % alignof(RequestState) != 0 || !Runtime::is_running() || !is_owned(handle))
        [[unlikely]]
        fail(MPI_ERR_REQUEST, fmt::format("{} is no request, or one that has ended", fmt::ptr(handle)));
    MpiRequest* const own = mpi_request(handle);
    return own != nullptr ? own->operation() : &state_behind(handle);
}

MPI_Request handle_of(MpiRequest& request) noexcept
{
    return handle_of(static_cast<RequestState&>(request));
}

MPI_Request begun_request(RequestState* state) noexcept
{
    if (state == nullptr)
        return handle_of(done_request());
    detail::process_of(*state).engine().request_started();
    return handle_of(*state);
}

MPI_Request begun_request(detail::CallHandle begun) noexcept
{
    Request request = begun.request();
    return request.active() ? handle_of(*RequestAccess::release(request)) : handle_of(done_request());
}

Completed result_of(progress::Engine::Lock& lock, MPI_Request request)
{
    MpiRequest* const own = mpi_request(request);
    if (own != nullptr && own->generalized() != nullptr) [[unlikely]]
        return own->generalized()->query(lock);
    RequestState& state = own != nullptr ? *own->operation() : state_behind(request);
    Completed completed{.status = state.status, .failure = nullptr};
    if (state.status.code != ErrorCode::success && !state.status.cancelled) [[unlikely]]
        completed.failure = detail::failure_of(state);
    else if (own != nullptr)
        completed.failure = own->deliver(lock, completed.status);
    if (completed.failure) [[unlikely]] {
        completed.communicator = communicator_of(state);
        completed.file = own != nullptr ? own->file() : nullptr;
    }
    return completed;
}

Completed take(progress::Engine::Lock& lock, MPI_Request& request)
{
    Completed completed = result_of(lock, request);
    MpiRequest* const own = mpi_request(request);
    RequestState& state = own != nullptr ? *own->operation() : state_behind(request);
    const bool stays = own != nullptr && own->outlives_operation();
    if (!stays)
        request = MPI_REQUEST_NULL;
    if (own != nullptr && own->generalized() != nullptr) [[unlikely]] {
        const int code = own->generalized()->end(lock);
        completed.code = completed.code != MPI_SUCCESS ? completed.code : code;
        return completed;
    }
    detail::recycle(state);
    if (own != nullptr && own != &state && !stays)
        own->recycle();
    return completed;
}

bool take_success(RequestState& state, MPI_Request& request, MPI_Status* status)
{
    const bool is_core = state.kind != RequestState::Kind::own;
    if (handle_of(state) != request || state.status.code != ErrorCode::success ||
        !(is_core || &state == &done_operation()))
        return false;
    fill(status, state.status);
    request = MPI_REQUEST_NULL;
    if (is_core)
        detail::recycle(state);
    return true;
}

void let_go(RequestState& operation)
{
    if (&operation != &done_operation())
        detail::process_of(operation).continuations().let_go(operation, nullptr);
}

}  // namespace tutti::mpi
