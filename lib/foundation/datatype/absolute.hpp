// Datatypes whose offsets are addresses, of an object at a null pointer (MPI_BOTTOM).
#pragma once

#include "lib/foundation/datatype/typemap.hpp"

namespace tutti::datatype {

/// No object lies in the first page: other offsets from a null pointer lead nowhere.
inline bool may_be_absolute(const Typemap& type) noexcept
{
    return type.true_lower_bound() >= 4096;
}

}  // namespace tutti::datatype
