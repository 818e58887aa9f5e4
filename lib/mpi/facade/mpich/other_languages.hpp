// Functions of programs in other languages. Those of Fortran take the handles of C; functions of attributes
// are called through the libraries for these languages.
#pragma once

#include <optional>

#include "lib/mpi/facade/convert.hpp"

namespace tutti::mpi::facade {

inline bool call_fortran_operator(MPI_User_function*, void*, void*, int*, int) noexcept
{
    return false;
}
template <class T>
bool call_fortran_error_handler(Function*, int, int*) noexcept
{
    return false;
}

using CopyProxy = int(Function* function, int object, int key, void* extra_state, int kind, void* value,
                      void** copied, int* is_copied);
using DeleteProxy = int(Function* function, int object, int key, int kind, void* value, void* extra_state);

/// How the functions of a key are called.
struct Proxies {
    CopyProxy* copy = nullptr;
    DeleteProxy* remove = nullptr;
};

/// Any thread.
void remember_proxies(int key, const Proxies& proxies);

/// The program's code; none, and nothing is called, if the key is C's.
std::optional<int> call_copy_proxy(Function* function, int object, int key, void* extra_state, void* value,
                                   void* copied, int* is_copied);
std::optional<int> call_delete_proxy(Function* function, int object, int key, void* value, void* extra_state);

}  // namespace tutti::mpi::facade
