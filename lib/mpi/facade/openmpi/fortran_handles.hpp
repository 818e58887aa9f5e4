// The integers that handles are in Fortran.
#pragma once

#include "lib/mpi/facade/numbers_of.hpp"
#include "lib/mpi/facade/openmpi/handles.hpp"

namespace tutti::mpi::facade {

template <class T>
int to_fortran(HandleOf<T> handle)
{
    for (const PredefinedHandle& each : predefined<T>())
        if (each.object == handle && each.fortran >= 0)
            return each.fortran;
    return static_cast<int>(number_of(reinterpret_cast<std::uintptr_t>(handle)));
}

/// The null handle, which is the first of a kind, for an integer that no handle has.
template <class T>
HandleOf<T> from_fortran(int number)
{
    for (const PredefinedHandle& each : predefined<T>())
        if (each.fortran == number)
            return each.object;
    const std::uintptr_t address = number < 0 ? 0 : address_of(static_cast<std::uint32_t>(number));
    return address == 0 ? predefined<T>().front().object : reinterpret_cast<HandleOf<T>>(address);
}

}  // namespace tutti::mpi::facade
