// Functions of programs in Fortran take the handles of C.
#pragma once

#include "lib/mpi/abi.hpp"

namespace tutti::mpi::facade {

inline bool call_fortran_operator(MPI_User_function*, void*, void*, int*, int) noexcept
{
    return false;
}
inline bool call_fortran_error_handler(MPI_Comm_errhandler_function*, int, int*) noexcept
{
    return false;
}

}  // namespace tutti::mpi::facade
