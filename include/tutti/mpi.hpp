// Both interfaces in one program: MPI's C interface and this one, over one runtime. The program links
// libmpi_abi, which has both, instead of libtutti: mpicxx_abi, or pkg-config's mpi_abi.
//
// MPI_Init and the Environment come in any order, and so do MPI_Finalize and the Environment's end. The first
// that begins joins the job, with its thread level; the last that ends leaves it. Each interface is used
// while it lives.
#pragma once

#include <mpi.h>

#include "tutti/communicator.hpp"

#ifndef MPI_ABI_VERSION
#error \
    "this mpi.h is not of MPI's standard ABI: compile with mpicxx_abi, or with pkg-config's options for mpi_abi"
#endif

namespace tutti {

/// The communicator that `handle` names. Both name one communicator: what one interface sends, the other may
/// receive, and its collectives have one order. It may outlive the handle, which stays the program's to free.
/// Throws ErrorCode::invalid_argument for handles of no communicator and of intercommunicators, and unless
/// MPI is running.
Communicator from_mpi(MPI_Comm handle);

/// The handle of a communicator: the one that from_mpi() was given, MPI_COMM_WORLD and MPI_COMM_SELF for
/// those of the Environment, else a new one with the error handler of MPI_COMM_WORLD. A communicator has one
/// handle at a time. A new one is the program's, to free with MPI_Comm_free like that of MPI_Comm_dup;
/// `communicator` stays usable. Needs no other rank. Throws ErrorCode::invalid_argument unless MPI is
/// running, and for ranks that are threads.
MPI_Comm to_mpi(const Communicator& communicator);

}  // namespace tutti
