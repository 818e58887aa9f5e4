// Functions of programs in other languages. Those of Fortran take the handles of C, so none is marked;
// functions of attributes are called through the libraries for these languages.
#pragma once

#include <optional>

#include "lib/mpi/facade/convert.hpp"
#include "lib/mpi/object/views.hpp"

namespace tutti::mpi {
struct ErrorHandler;
}

namespace tutti::mpi::facade {

inline void call_fortran_operator(const UserFunction&, void*, void*, int*, int) noexcept {}
template <class T>
void call_fortran_error_handler(Function*, HandleOf<T>, int*) noexcept
{
}

// Functions of the old C++ bindings, as their library calls them.
void call_cxx_operator(const UserFunction& function, void* in, void* inout, const int* length,
                       const int* datatype);
template <class T>
void call_cxx_error_handler(const ErrorHandler& handler, Function* function, HandleOf<T>* object, int* code,
                            const char* call);
/// MPI::ERRORS_THROW_EXCEPTIONS: the bindings throw when the code comes back to them.
template <class T>
void throw_exception(HandleOf<T>*, int*, const char*) noexcept
{
}

using CopyProxy = int(Function* function, int object, int key, void* extra_state, int kind, void* value,
                      void** copied, int* is_copied);
using DeleteProxy = int(Function* function, int object, int key, int kind, void* value, void* extra_state);

/// How the functions of a key are called.
struct Proxies {
    CopyProxy* copy = nullptr;
    DeleteProxy* remove = nullptr;
    int kind = 0;  // of the values: pointers, as those of C++, or integers of Fortran
};

// Any thread.
void remember_proxies(int key, const Proxies& proxies);
/// For a key that has proxies.
void remember_kind(int key, int kind);

/// The program's code; none, and nothing is called, if the key is C's.
std::optional<int> call_copy_proxy(Function* function, int object, int key, void* extra_state, void* value,
                                   void* copied, int* is_copied);
std::optional<int> call_delete_proxy(Function* function, int object, int key, void* value, void* extra_state);

}  // namespace tutti::mpi::facade
