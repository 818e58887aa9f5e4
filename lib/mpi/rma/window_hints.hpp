// The hints that windows know: keys of info objects.
#pragma once

#include <vector>

#include "lib/mpi/info/info.hpp"
#include "tutti/window_calls.hpp"

namespace tutti::mpi {

/// The hints of a window of such memory, with the values of `info`, which may be MPI_INFO_NULL, where they
/// have a meaning.
std::vector<Info::Entry> hints_of(MPI_Info info, detail::WindowFlavor flavor,
                                  const detail::WindowMemory& memory);
/// The hints in use, with the new values of `info`. Hints that the window was made by stay.
std::vector<Info::Entry> changed_hints(std::vector<Info::Entry> hints, MPI_Info info);

}  // namespace tutti::mpi
