// Persistent requests.
#pragma once

#include <memory>

#include "lib/mpi/abi.hpp"
#include "tutti/request.hpp"

namespace tutti::mpi {

/// The handle of an operation that MPI_Start begins: of a message, or of a collective
/// (CallHandle::starter()). nullptr: of a message to or from MPI_PROC_NULL.
MPI_Request persistent_request(std::unique_ptr<detail::Starter> starter);

}  // namespace tutti::mpi
