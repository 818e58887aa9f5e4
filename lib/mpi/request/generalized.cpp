// Generalized requests.
#include "lib/core/process/process.hpp"
#include "lib/mpi/object/callbacks.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/runtime.hpp"
#include "lib/mpi/object/status_form.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

using progress::Engine;

Generalized::Generalized(MPI_Grequest_query_function* how_it_ended, MPI_Grequest_free_function* ends,
                         MPI_Grequest_cancel_function* cancels, void* state) noexcept
    : query_function(how_it_ended), free_function(ends), cancel_function(cancels), extra_state(state)
{
    owner = &Runtime::process();
}

int Generalized::let_go(Engine::Lock& lock)
{
    has_handle = false;
    return done ? end(lock) : MPI_SUCCESS;
}

Completed Generalized::query(Engine::Lock& lock) const
{
    MPI_Status ended;
    fill_empty(&ended);
    lock.unlock();
    const int code = call_query(*this, &ended);
    lock.lock();
    return {.status = {.source = ended.MPI_SOURCE,
                       .tag = ended.MPI_TAG,
                       .size_bytes = size_of(ended),
                       .cancelled = ended.MPI_internal[kCancelled] != 0},
            .failure = nullptr,
            .code = code};
}

Generalized* generalized_of(MPI_Request request)
{
    const detail::RequestState* const state = state_of(request);
    MpiRequest* const own = state == nullptr ? nullptr : mpi_request(request);
    return own == nullptr ? nullptr : own->generalized();
}

int Generalized::end(Engine::Lock& lock)
{
    lock.unlock();
    const int code = call_free(*this);
    lock.lock();
    delete this;
    return code;
}

int grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                   MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request)
{
    return guard_result("MPI_Grequest_start", request, "request", [&] {
        if (query_fn == nullptr || free_fn == nullptr || cancel_fn == nullptr)
            fail(MPI_ERR_ARG, "a function is a null pointer; pass one each for query, free and cancel");
        Runtime::check_running();
        return handle_of(*new Generalized(query_fn, free_fn, cancel_fn, extra_state));
    });
}

int grequest_complete(MPI_Request request)
{
    return guard("MPI_Grequest_complete", [&] {
        Generalized* const generalized = generalized_of(request);
        if (generalized == nullptr)
            fail(MPI_ERR_REQUEST, "the request is none that MPI_Grequest_start made");
        Engine& engine = Runtime::process().engine();
        auto lock = engine.lock();
        if (generalized->done)
            fail(MPI_ERR_REQUEST, "the request is complete already; complete it once");
        generalized->finish(ErrorCode::success);
        engine.started();
        const int code = generalized->has_handle ? MPI_SUCCESS : generalized->end(lock);
        lock.unlock();
        return code == MPI_SUCCESS ? code : hand_over("MPI_Grequest_complete", MPI_COMM_NULL, code);
    });
}

}  // namespace tutti::mpi
