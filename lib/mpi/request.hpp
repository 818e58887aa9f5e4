// The state behind an MPI_Request is the core's: the handle is its address.
#pragma once

#include <exception>

#include "lib/core/requests/wait.hpp"
#include "lib/mpi/abi.hpp"
#include "tutti/request.hpp"

namespace tutti::mpi {

/// The state of an active request, or nullptr for MPI_REQUEST_NULL. Throws Failure for another handle.
detail::RequestState* state_of(MPI_Request handle);
/// Counts the request as active. `state` nullptr: the operation is complete, with an empty status that is
/// MPI_PROC_NULL's. Under the lock.
MPI_Request begun_request(detail::RequestState* state) noexcept;
/// The request of a collective.
MPI_Request begun_request(const detail::CallHandle& begun) noexcept;

/// The communicator of the operation.
MPI_Comm communicator_of(const detail::RequestState& state) noexcept;

/// What a completed operation leaves.
struct Completed {
    Status status;
    std::exception_ptr failure;             // nullptr: none
    MPI_Comm communicator = MPI_COMM_NULL;  // of a failed one
};
/// Takes the result of a completed operation and ends its request. Under the lock.
Completed take(MPI_Request& request);

void define_done_request(detail::Process& process) noexcept;

}  // namespace tutti::mpi
