// The integers that files are in Fortran. Other handles are integers anyway.
#pragma once

#include "lib/mpi/facade/mpich/handles.hpp"

namespace tutti::mpi::facade {

template <class T>
int to_fortran(HandleOf<T> handle)
{
    return handle == nullptr ? 0
                             : static_cast<int>(HandleNumbers::of(reinterpret_cast<std::uintptr_t>(handle)));
}

template <class T>
HandleOf<T> from_fortran(int number) noexcept
{
    return number <= 0
               ? nullptr
               : reinterpret_cast<HandleOf<T>>(HandleNumbers::address_of(static_cast<std::uint32_t>(number)));
}

}  // namespace tutti::mpi::facade
