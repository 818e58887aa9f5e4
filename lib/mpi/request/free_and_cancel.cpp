// Requests that are freed or cancelled.
#include "lib/core/process/process.hpp"
#include "lib/mpi/object/callbacks.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/runtime.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

using detail::RequestState;

int request_free(MPI_Request* request)
{
    return guard("MPI_Request_free", [&] {
        check_not_null(request, "request");
        RequestState* const operation = state_of(*request);
        if (*request == MPI_REQUEST_NULL)
            fail(MPI_ERR_REQUEST, "the request is MPI_REQUEST_NULL; there is nothing to free");
        MpiRequest* const own = mpi_request(*request);
        auto lock = Runtime::process().engine().lock();
        *request = MPI_REQUEST_NULL;
        int code = MPI_SUCCESS;
        if (own != nullptr)
            code = own->let_go(lock);
        else
            let_go(*operation);
        lock.unlock();
        return code == MPI_SUCCESS ? code : hand_over("MPI_Request_free", MPI_COMM_NULL, code);
    });
}

int cancel(MPI_Request* request)
{
    return guard("MPI_Cancel", [&] {
        check_not_null(request, "request");
        RequestState* const operation = state_of(*request);
        if (operation == nullptr)
            fail(MPI_ERR_REQUEST, "the request is not active; cancel it between its begin and its end");
        MpiRequest* const own = mpi_request(*request);
        auto lock = Runtime::process().engine().lock();
        if (Generalized* const generalized = own != nullptr ? own->generalized() : nullptr) {
            const bool is_complete = generalized->done;
            lock.unlock();
            const int code = call_cancel(*generalized, is_complete);
            return code == MPI_SUCCESS ? code : hand_over("MPI_Cancel", MPI_COMM_NULL, code);
        }
        if (operation->kind == RequestState::Kind::collective)
            fail(MPI_ERR_REQUEST, "the request is a collective's, which cannot be cancelled; wait for it");
        detail::Process& process = Runtime::process();
        bool is_cancelled = false;
        if (operation->kind == RequestState::Kind::receive) {
            is_cancelled = process.protocol().cancel(static_cast<protocol::ReceiveRequest&>(*operation));
        } else if (operation->kind == RequestState::Kind::send) {
            // Sends to others are not cancelled: their status says so. One to this rank may still be on its
            // way.
            process.engine().progress();
            is_cancelled = !operation->done &&
                           process.protocol().cancel(static_cast<protocol::SendRequest&>(*operation));
        }
        if (is_cancelled)
            process.engine().started();
        return MPI_SUCCESS;
    });
}

}  // namespace tutti::mpi
