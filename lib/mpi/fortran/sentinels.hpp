// Variables of Fortran that a program passes in place of a buffer, a status or an array. They are known by
// their addresses: modules bind to these names, and mpif.h has a common block of each name, which the linker
// makes one with the library's.
#pragma once

#include "lib/mpi/object/abi.hpp"

extern "C" {

extern int tutti_mpi_bottom_;
extern int tutti_mpi_in_place_;
extern int tutti_mpi_buffer_automatic_;
extern int tutti_mpi_unweighted_[1];
extern int tutti_mpi_weights_empty_[1];
extern int tutti_mpi_errcodes_ignore_[1];
extern int tutti_mpi_status_ignore_[8];
extern int tutti_mpi_statuses_ignore_[8];
extern char tutti_mpi_argv_null_[1];
extern char tutti_mpi_argvs_null_[1];
// Those of mpi_f08, where a status is of another type.
extern MPI_Status tutti_mpi_status_ignore_f08;
extern MPI_Status tutti_mpi_statuses_ignore_f08[1];
}

namespace tutti::mpi::fortran {

inline void* buffer_at(void* place)
{
    if (place == &tutti_mpi_bottom_)
        return MPI_BOTTOM;
    if (place == &tutti_mpi_in_place_)
        return MPI_IN_PLACE;
    if (place == &tutti_mpi_buffer_automatic_)
        return MPI_BUFFER_AUTOMATIC;
    return place;
}

/// A status has the same integers as in C.
inline MPI_Status* status_at(int* place)
{
    const void* const given = place;
    if (given == tutti_mpi_status_ignore_ || given == &tutti_mpi_status_ignore_f08)
        return MPI_STATUS_IGNORE;
    return reinterpret_cast<MPI_Status*>(place);
}

inline const MPI_Status* status_at(const int* place)
{
    return reinterpret_cast<const MPI_Status*>(place);
}

inline MPI_Status* statuses_at(int* place)
{
    const void* const given = place;
    if (given == tutti_mpi_statuses_ignore_ || given == tutti_mpi_statuses_ignore_f08)
        return MPI_STATUSES_IGNORE;
    return status_at(place);
}

template <class T>
T* weights_at(T* place)
{
    if (place == tutti_mpi_unweighted_)
        return MPI_UNWEIGHTED;
    if (place == tutti_mpi_weights_empty_)
        return MPI_WEIGHTS_EMPTY;
    return place;
}

}  // namespace tutti::mpi::fortran
