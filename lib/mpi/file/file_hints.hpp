// The hints that files know: keys of info objects, with the names that ROMIO gave them.
#pragma once

#include <vector>

#include "lib/core/files/file.hpp"
#include "lib/mpi/info/info.hpp"

namespace tutti::mpi {

/// The hints of a file that is being opened: those of the program, and of the file that ROMIO_HINTS names for
/// keys that the program does not give. Values without a meaning are passed over.
detail::FileHints file_hints_of(MPI_Info info);
/// The hints in use, with the new values of `info`.
detail::FileHints changed_file_hints(detail::FileHints hints, MPI_Info info);
/// As MPI_File_get_info tells them.
std::vector<Info::Entry> entries_of(const detail::FileHints& hints);

}  // namespace tutti::mpi
