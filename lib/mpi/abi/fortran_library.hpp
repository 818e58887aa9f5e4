// What libmpifort_abi asks of libmpi_abi. These names are C++'s, so that the linker refuses a library with
// other parameters.
//
// Operators and error handlers that are functions in Fortran serve calls in both languages. Programs' other
// functions get an extra state, by which a library in C finds those in Fortran.
#pragma once

#include <cstddef>

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

/// The head of a compiler's descriptor (CFI_cdesc_t of ISO_Fortran_binding.h). gfortran and flang agree on
/// these places.
struct ArrayDescriptor {
    struct Dimension {
        std::ptrdiff_t lower_bound;
        std::ptrdiff_t extent;  // -1: the last one of an array of assumed size
        std::ptrdiff_t stride_bytes;
    };

    void* address;
    std::size_t element_bytes;
    int version;
    signed char rank;
    char others[3];
    Dimension dimensions[15];
};

/// A committed type of which one element at the section's address is what `count` elements of `datatype` are
/// in the array that a copy of the section without gaps would be. The caller frees it. Any thread. Errors,
/// named after `call`, go to the error handler of calls without a communicator.
int create_fortran_section(const char* call, const ArrayDescriptor* section, MPI_Count count,
                           MPI_Datatype datatype, MPI_Datatype* made);
/// Hands an error of Fortran's interface to that handler. Returns its code.
int create_fortran_error(const char* call, int error_class, const char* sentence);

/// Whether the handle is a communicator's. Unlike a call of MPI, this reports no error.
bool is_fortran_communicator(MPI_Comm handle);

}  // namespace tutti::mpi
