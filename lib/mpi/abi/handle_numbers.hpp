// Integers that stand for handles, as Fortran programs have them. A predefined handle is its own integer.
// Any thread.
#pragma once

#include <cstdint>

namespace tutti::mpi {

int number_of_handle(std::uintptr_t handle);
/// `none` for an integer that was given to no handle.
std::uintptr_t handle_of_number(int number, std::uintptr_t none);

/// The bodies of MPI_X_toint and MPI_X_fromint.
template <class Handle>
int toint(Handle handle)
{
    return number_of_handle(reinterpret_cast<std::uintptr_t>(handle));
}
template <class Handle>
Handle fromint(int number, Handle null)
{
    return reinterpret_cast<Handle>(handle_of_number(number, reinterpret_cast<std::uintptr_t>(null)));
}

}  // namespace tutti::mpi
