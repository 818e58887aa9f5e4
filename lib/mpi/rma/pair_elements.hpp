// Datatypes of pairs (a value and its place) as operators take them: each pair is a whole element, with the
// gap that C's struct has. Messages leave the gaps out.
#pragma once

#include <optional>

#include "lib/foundation/datatype/typemap.hpp"
#include "lib/mpi/datatype/datatype.hpp"

namespace tutti::mpi {

/// The one predefined pair that the type is, or is made of; nullptr: there is none, or something else
/// besides.
const Datatype* only_pair(const Datatype& type);

/// The layout of a type that is made of `pair` alone: the same pairs in the same order, and their gaps.
datatype::TypemapRef with_gaps(const Datatype& type, const Datatype& pair);

}  // namespace tutti::mpi
