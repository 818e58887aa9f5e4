// The answers of functions that are not written yet: MPI_ERR_UNSUPPORTED_OPERATION, through the error handler
// of the object.
#pragma once

#include "lib/mpi/object/abi.hpp"

namespace tutti::mpi {

int unsupported(const char* call);
int unsupported(MPI_Comm comm, const char* call);
int unsupported(MPI_Session session, const char* call);
/// The handler of what the call would have made.
int unsupported(MPI_Errhandler given, const char* call);

}  // namespace tutti::mpi
