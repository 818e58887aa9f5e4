// tuttirun --check: handles that the program has made and not freed by MPI_Finalize.
#pragma once

#include "lib/core/check/checker.hpp"
#include "lib/mpi/object.hpp"

namespace tutti::mpi {

/// A persistent request, which has no Object. forget_handle() ends it, too.
void note_persistent(const void* request) noexcept;

/// Reports communicators, datatypes, operators, groups, windows, messages of matched probes and persistent
/// requests.
void report_handles(check::Checker& checker);

}  // namespace tutti::mpi
