// The C interface, for the library's own sources.
#pragma once

// Its constants are casts as in C, which the compiler warns of outside of system headers.
#pragma GCC system_header
// Libraries for programs of others export those names.
#define TUTTI_MPI_WITHOUT_FORTRAN
#include "lib/mpi/table/mpi.h"
