// Built-in operators on Fortran's types of 16 and 32 bytes and on its smallest complex one, which the core
// does not know.
#pragma once

#include "lib/mpi/object/abi.hpp"
#include "tutti/reduction.hpp"

namespace tutti::mpi {

using WideKernel = decltype(detail::UserKernel::plain);

/// nullptr: the operator is not defined on the datatype, or the core has it.
WideKernel wide_kernel(Op op, MPI_Datatype datatype) noexcept;

}  // namespace tutti::mpi
