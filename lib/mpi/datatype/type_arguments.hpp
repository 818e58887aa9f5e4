// Checks and the frame that the constructors of datatypes share.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

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

/// A type that is being made, with the arguments of its constructor.
class NewType {
public:
    NewType(int combiner, bool large) : arguments_(new Construction(combiner, large)) {}
    NewType(int combiner, bool large, MPI_Datatype oldtype) : NewType(combiner, large)
    {
        const Datatype& type = datatype_of(oldtype);
        arguments_->add_type(type);
        of_ = type.map.get();
    }

    Construction* operator->() const noexcept { return arguments_.get(); }
    /// The type that it is made of.
    const datatype::Typemap& of() const noexcept { return *of_; }
    MPI_Datatype with(datatype::TypemapRef map) const
    {
        return new_datatype(std::move(map), base::Ref<const Construction>(arguments_.get()));
    }

private:
    const base::Ref<Construction> arguments_;
    const datatype::Typemap* of_ = nullptr;
};

}  // namespace tutti::mpi
