// The hints that windows know: keys of info objects.
#pragma once

#include <vector>

#include "lib/mpi/info.hpp"

namespace tutti::mpi {

/// The hints with the values of `info`, which may be MPI_INFO_NULL, where they have a meaning. `is_shared`:
/// of a shared window.
std::vector<Info::Entry> hints_of(MPI_Info info, bool is_shared);
/// The same for what is in use so far.
std::vector<Info::Entry> changed_hints(std::vector<Info::Entry> hints, MPI_Info info);

}  // namespace tutti::mpi
