// The C interface, for the library's own sources.
#pragma once

// Its constants are casts in C's way, which the compiler warns of elsewhere.
#pragma GCC system_header
// Libraries for programs of others export those names.
#define TUTTI_MPI_WITHOUT_FORTRAN
#include "lib/mpi/table/mpi.h"
