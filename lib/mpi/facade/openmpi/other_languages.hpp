// Functions of programs in Fortran, which know handles as integers.
#pragma once

#include <cstdint>
#include <optional>

#include "lib/mpi/abi.hpp"

namespace tutti::mpi::facade {

/// Whether Open MPI's Fortran library made an operator of this function. Any thread.
bool is_fortran_operator(MPI_User_function* function);

/// Any thread.
void remember_fortran_error_handler(MPI_Comm_errhandler_function* function);

/// The communicator or datatype whose integer the calling thread has converted last.
struct LastConverted {
    const std::uintptr_t* handle;
    bool is_datatype;
};
extern thread_local LastConverted last_converted;

/// False, and nothing is called, if the function is none of Fortran's.
bool call_fortran_operator(MPI_User_function* function, void* in, void* inout, int* length,
                           const std::uintptr_t* datatype);
bool call_fortran_error_handler(MPI_Comm_errhandler_function* function, const std::uintptr_t* comm,
                                int* code);

/// Functions of attributes are those of C: see fortran_attributes.cpp.
template <class... Arguments>
std::optional<int> call_copy_proxy(const Arguments&...) noexcept
{
    return std::nullopt;
}
template <class... Arguments>
std::optional<int> call_delete_proxy(const Arguments&...) noexcept
{
    return std::nullopt;
}

}  // namespace tutti::mpi::facade
