// The integers that handles are in Fortran.
#pragma once

#include <algorithm>

#include "lib/mpi/facade/openmpi/handles.hpp"
#include "lib/mpi/facade/openmpi/other_languages.hpp"
#include "lib/mpi/object/handle_numbers.hpp"

namespace tutti::mpi::facade {

template <class T>
int to_fortran(HandleOf<T> handle)
{
    for (const PredefinedHandle& each : predefined<T>())
        if (each.object == handle && each.fortran >= 0)
            return each.fortran;
    if constexpr (std::is_same_v<T, MPI_Op>)
        note_fortran_operator(handle);
    const auto number = static_cast<int>(HandleNumbers::of(reinterpret_cast<std::uintptr_t>(handle)));
    if constexpr (std::is_same_v<T, MPI_Request>)
        note_fortran_request(handle, number);
    return number;
}

/// The null handle, which is the first of a kind, for an integer that no handle has.
template <class T>
HandleOf<T> from_fortran(int number)
{
    const auto all = predefined<T>();
    const auto known = std::ranges::find(all, number, &PredefinedHandle::fortran);
    const std::uintptr_t address = HandleNumbers::address_of(static_cast<std::uint32_t>(number));
    const HandleOf<T> handle = known != all.end() ? known->object
                               : address == 0     ? all.front().object
                                                  : reinterpret_cast<HandleOf<T>>(address);
    if constexpr (std::is_same_v<T, MPI_Comm>)
        if (members_of_world.ranks == 0) [[unlikely]]
            count_members_of_world();
    if constexpr (std::is_same_v<T, MPI_Comm>)
        last_converted = {handle, kOfCommunicators};
    if constexpr (std::is_same_v<T, MPI_Datatype>)
        last_converted = {handle, kOfDatatypes};
    if constexpr (std::is_same_v<T, MPI_Win>)
        last_converted = {handle, kOfWindows};
    return handle;
}

}  // namespace tutti::mpi::facade
