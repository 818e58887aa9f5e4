// How many elements arrays of Fortran have that C's calls take by a communicator.
#pragma once

#include "lib/mpi/object/abi.hpp"

namespace tutti::mpi::fortran {

enum class Direction { incoming, outgoing };

/// The processes that a collective sends to or gets from: of an intercommunicator, those of the other group.
int peers(MPI_Comm comm, Direction direction);
int neighbors(MPI_Comm comm, Direction direction);
/// The dimensions of a grid; 0: it is none.
int dimensions(MPI_Comm comm);

/// Datatypes are not looked at where data are in place.
inline int types_for(const void* buffer, int count)
{
    return buffer == MPI_IN_PLACE ? 0 : count;
}

}  // namespace tutti::mpi::fortran
