// Functions of programs in Fortran, which know handles as integers, and in C++, which know them as objects.
#pragma once

#include <cstdint>
#include <optional>

#include "lib/mpi/object/abi.hpp"
#include "lib/mpi/object/views.hpp"

namespace tutti::mpi {
struct ErrorHandler;
}

namespace tutti::mpi::facade {

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

// Functions of these languages. T: MPI_Comm, MPI_File or MPI_Win.
void call_fortran_operator(const UserFunction& function, void* in, void* inout, int* length,
                           const std::uintptr_t* datatype);
template <class T>
void call_fortran_error_handler(void (*function)(), const std::uintptr_t* object, int* code);
void call_cxx_operator(const UserFunction& function, void* in, void* inout, int* length,
                       const std::uintptr_t** datatype);
/// The bindings' library has written into the handle's object how the function is called.
template <class T>
void call_cxx_error_handler(const ErrorHandler& handler, void (*function)(), const std::uintptr_t** object,
                            int* code, const char* call);
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
