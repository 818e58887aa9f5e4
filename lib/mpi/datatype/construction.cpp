#include "lib/mpi/datatype/construction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/object/errors.hpp"

namespace tutti::mpi {

namespace {

// The end of a chain of types is as many nested calls.
constexpr int kMostTypeLevels = 1000;

}  // namespace

void Construction::add_integers(std::initializer_list<int> numbers)
{
    integers_.insert(integers_.end(), numbers);
}

void Construction::add_count(MPI_Count count)
{
    if (large_)
        large_counts_.push_back(count);
    else
        integers_.push_back(static_cast<int>(count));
}

void Construction::add_bytes(MPI_Count bytes)
{
    (large_ ? large_counts_ : addresses_).push_back(bytes);
}

void Construction::add_type(const Datatype& type)
{
    if (!type.permanent)
        levels_ = std::max(levels_, type.construction->levels_ + 1);
    if (levels_ > kMostTypeLevels)
        fail(MPI_ERR_TYPE,
             fmt::format("datatypes are nested in more than {} levels; build them of fewer ones",
                         kMostTypeLevels));
    types_.push_back(inner_of(type));
}

Construction::Inner inner_of(const Datatype& type)
{
    if (type.permanent)
        return {handle_of(type), type.map, {}};
    return {MPI_DATATYPE_NULL, type.map, type.construction};
}

MPI_Datatype handle_of(const Construction::Inner& type)
{
    if (type.permanent != MPI_DATATYPE_NULL)
        return type.permanent;
    const MPI_Datatype made = new_datatype(type.map, type.construction);
    datatype_of(made).committed = true;
    return made;
}

}  // namespace tutti::mpi
