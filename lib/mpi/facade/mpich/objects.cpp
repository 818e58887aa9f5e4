// Data and small functions that MPICH's header and libraries name.
#include "lib/mpi/facade/mpich/handles.hpp"

using tutti::mpi::HandleNumbers;

namespace {

// Predefined handles with the bits of created ones: those of pairs. Before any call of MPI.
[[maybe_unused]] const bool kArePairsThere = [] {
    for (const tutti::mpi::facade::Number& each : tutti::mpi::facade::kPredefinedHandles)
        if (each.own < 0)
            HandleNumbers::set_address_of(static_cast<std::uint32_t>(each.own) % HandleNumbers::kEnd,
                                          static_cast<std::uintptr_t>(each.standard));
    return true;
}();

// Where MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY point to.
int unweighted;
int weights_empty;

}  // namespace

#pragma GCC visibility push(default)

extern "C" {

// What the module mpi_f08 passes in place of its own two.
int* MPIR_C_MPI_UNWEIGHTED;
int* MPIR_C_MPI_WEIGHTS_EMPTY;

// Fortran's. libmpichfort makes them point into the program's common blocks.
int* MPI_F_STATUS_IGNORE;
int* MPI_F_STATUSES_IGNORE;
tutti::mpi::facade::Status MPIR_F08_MPI_STATUS_IGNORE_OBJ;
tutti::mpi::facade::Status MPIR_F08_MPI_STATUSES_IGNORE_OBJ[1];
int MPIR_F08_MPI_IN_PLACE;
int MPIR_F08_MPI_BOTTOM;
tutti::mpi::facade::Status* MPI_F08_STATUS_IGNORE = &MPIR_F08_MPI_STATUS_IGNORE_OBJ;
tutti::mpi::facade::Status* MPI_F08_STATUSES_IGNORE = &MPIR_F08_MPI_STATUSES_IGNORE_OBJ[0];
extern void* const MPI_T_PVAR_ALL_HANDLES_of_programs __asm__("MPI_T_PVAR_ALL_HANDLES");
void* const MPI_T_PVAR_ALL_HANDLES_of_programs = &MPIR_F08_MPI_BOTTOM;

int* const MPI_UNWEIGHTED_of_programs = &unweighted;
int* const MPI_WEIGHTS_EMPTY_of_programs = &weights_empty;

// libmpichfort has variables of the same names, which come first in programs in Fortran: these are filled,
// then.
[[maybe_unused]] static const bool kAreWeightsThere = [] {
    MPIR_C_MPI_UNWEIGHTED = MPI_UNWEIGHTED_of_programs;
    MPIR_C_MPI_WEIGHTS_EMPTY = MPI_WEIGHTS_EMPTY_of_programs;
    return true;
}();

// MPI_COMM_DUP_FN and its like: the copy is the value itself.
int MPIR_Dup_fn(int, int, void*, void* value, void* copied, int* is_copied)
{
    *static_cast<void**>(copied) = value;
    *is_copied = 1;
    return 0;
}
}
