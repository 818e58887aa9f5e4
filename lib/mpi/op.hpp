// Operators of reductions.
#pragma once

#include "lib/mpi/abi.hpp"
#include "lib/mpi/datatype.hpp"
#include "tutti/reduction.hpp"

namespace tutti::mpi {

/// The operator on elements of `type`. Throws Failure for a handle that is no operator's, or an operator that
/// is not defined on the type.
detail::Operator operator_of(MPI_Op op, const Datatype& type);

}  // namespace tutti::mpi
