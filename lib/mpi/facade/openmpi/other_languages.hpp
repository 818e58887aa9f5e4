// Functions of programs in Fortran, which know handles as integers.
#pragma once

#include <cstdint>

#include "lib/mpi/abi.hpp"

namespace tutti::mpi::facade {

/// Whether Open MPI's Fortran library made an operator of this function. Any thread.
bool is_fortran_operator(MPI_User_function* function);

/// False, and nothing is called, if the function is none of Fortran's.
bool call_fortran_operator(MPI_User_function* function, void* in, void* inout, int* length,
                           const std::uintptr_t* datatype);
bool call_fortran_error_handler(MPI_Comm_errhandler_function* function, const std::uintptr_t* comm,
                                int* code);

}  // namespace tutti::mpi::facade
