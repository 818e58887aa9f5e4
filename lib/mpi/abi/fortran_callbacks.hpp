// What libmpifort_abi asks of libmpi_abi: operators and error handlers that are functions in Fortran. They
// serve calls in both languages. Programs' other functions get an extra state, by which a library in C finds
// those in Fortran. These names are C++'s, so that the linker refuses a library with other parameters.
#pragma once

#include "lib/mpi/object/abi.hpp"

namespace tutti::mpi {

using FortranFunction = void();

/// MPI_Op_create, or MPI_Op_create_c if `large`. Reductions call function(in, inout, length, datatype):
/// `length` points to an int, or an MPI_Count if `large`, `datatype` to the integer of MPI_Type_toint.
int create_fortran_operator(FortranFunction* function, bool commutes, bool large, MPI_Op* op);

enum class FortranErrors { of_communicators, of_files, of_windows };
/// MPI_Comm_create_errhandler and its like. Errors call function(object, code): `object` points to the
/// integer of MPI_Comm_toint, MPI_File_toint or MPI_Win_toint, `code` to an int.
int create_fortran_error_handler(FortranErrors errors, FortranFunction* function, MPI_Errhandler* handler);

}  // namespace tutti::mpi
