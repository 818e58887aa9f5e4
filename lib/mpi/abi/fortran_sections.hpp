// What libmpifort_abi asks of libmpi_abi: the datatype of a section of an array, as a compiler of Fortran
// describes it.
#pragma once

#include <cstddef>

#include "lib/mpi/object/abi.hpp"

namespace tutti::mpi {

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

}  // namespace tutti::mpi
