// What communicators need of info objects.
#pragma once

#include <string>

#include "lib/mpi/abi.hpp"

namespace tutti::mpi {

/// Throws Failure for a handle that is no info object's. MPI_INFO_NULL is none, and valid.
void check_info(MPI_Info info);
/// The value of a key; empty without one.
std::string value_of(MPI_Info info, const char* key);
/// The handle of a new info object without keys.
MPI_Info new_info();

}  // namespace tutti::mpi
