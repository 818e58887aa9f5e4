// The state behind an MPI_Request is the core's: the handle is its address. Kinds that only MPI has are
// derived from FaceRequest.
#pragma once

#include <exception>

#include "lib/core/requests/wait.hpp"
#include "lib/mpi/abi.hpp"
#include "tutti/call_handle.hpp"

namespace tutti::mpi {

/// Requests of MPI's own kinds.
struct FaceRequest : detail::OwnRequest {
    /// What a wait waits for; nullptr: the request is not active.
    virtual detail::RequestState* operation() noexcept { return this; }
    /// Whether the request is still there when its operation has ended. Then it forgets the operation.
    virtual bool outlives_operation() noexcept { return false; }

protected:
    ~FaceRequest() = default;
};

/// The operation of a request; nullptr for MPI_REQUEST_NULL and requests that are not active. Throws Failure
/// for another handle.
detail::RequestState* state_of(MPI_Request handle);

/// The handle of an operation that has begun, which counts as active from now on. `state` nullptr: the
/// operation is complete, with the status of MPI_PROC_NULL. Under the lock.
MPI_Request begun_request(detail::RequestState* state) noexcept;
/// The handle of a collective's operation.
MPI_Request begun_request(const detail::CallHandle& begun) noexcept;
/// The handle of a request of MPI's own.
MPI_Request handle_of(FaceRequest& request) noexcept;
/// nullptr for another kind of request. The handle is valid.
FaceRequest* face_request(MPI_Request handle) noexcept;

/// The communicator of the operation.
MPI_Comm communicator_of(const detail::RequestState& state) noexcept;

/// What a completed operation leaves.
struct Completed {
    Status status;
    std::exception_ptr failure;             // nullptr: none
    MPI_Comm communicator = MPI_COMM_NULL;  // of a failed one
};
/// Takes the result of a request's completed operation, and ends the request unless it is persistent. Under
/// the lock.
Completed take(MPI_Request& request);

/// The state of all operations that were complete when they began. It never ends.
detail::RequestState& done_operation() noexcept;
void define_done_request(detail::Process& process) noexcept;

}  // namespace tutti::mpi
