// Functions of programs in Fortran, which know handles as integers, and in C++, which know them as objects.
#pragma once

#include <cstdint>
#include <optional>

#include "lib/mpi/object/abi.hpp"

namespace tutti::mpi::facade {

/// Whether Open MPI's Fortran library made an operator of this function. Any thread.
bool is_fortran_operator(MPI_User_function* function);

/// Any thread.
void remember_fortran_error_handler(void (*function)());

// Kinds of objects as Open MPI's libraries have them for attributes.
inline constexpr int kOfCommunicators = 1;
inline constexpr int kOfDatatypes = 2;
inline constexpr int kOfWindows = 3;

/// The object whose integer the calling thread has converted last, of one of these kinds.
struct LastConverted {
    const std::uintptr_t* handle;
    int kind;
};
extern thread_local LastConverted last_converted;

/// False, and nothing is called, if the function is none of Fortran's.
bool call_fortran_operator(MPI_User_function* function, void* in, void* inout, int* length,
                           const std::uintptr_t* datatype);
/// T: MPI_Comm, MPI_File or MPI_Win.
template <class T>
bool call_fortran_error_handler(void (*function)(), const std::uintptr_t* object, int* code);

/// Of the old C++ bindings, whose library writes into the handle's object how the function is called. Any
/// thread.
void remember_cxx_error_handler(void (*function)(), const std::uintptr_t* handle);

// Likewise for C++.
bool call_cxx_operator(void (*function)(), void* in, void* inout, int* length,
                       const std::uintptr_t** datatype);
template <class T>
bool call_cxx_error_handler(void (*function)(), const std::uintptr_t** object, int* code, const char* call);
/// MPI::ERRORS_THROW_EXCEPTIONS.
template <class T>
void throw_exception(const std::uintptr_t** object, int* code, const char* call);

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
