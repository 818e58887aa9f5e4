// Checks that the constructors of datatypes share.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/views.hpp"

namespace tutti::mpi {

/// An array of `count` entries: pointer or Counts.
template <class Array>
void check_entries(std::string_view name, const Array& array, MPI_Count count)
{
    if (count > 0)
        check_not_null(array, name);
    constexpr MPI_Count kMostEntries = MPI_Count{1} << 48;
    if (count > kMostEntries)
        fail(MPI_ERR_COUNT, fmt::format("{} has {} entries, which exceed the address space", name, count));
}

/// The type that a new one is made of.
inline const Datatype& old_type(MPI_Datatype handle, const MPI_Datatype* newtype)
{
    check_not_null(newtype, "newtype");
    return datatype_of(handle);
}

/// The arguments of a new type, with its only inner type.
inline base::Ref<Construction> construction_of(int combiner, bool large, const Datatype& type)
{
    const base::Ref<Construction> made(new Construction(combiner, large));
    made->add_type(type);
    return made;
}

inline base::Ref<const Construction> complete(const base::Ref<Construction>& construction) noexcept
{
    return base::Ref<const Construction>(construction.get());
}

}  // namespace tutti::mpi
