// tuttirun --check: what the program has made and not freed by MPI_Finalize.
#pragma once

#include "lib/core/check/checker.hpp"

namespace tutti::mpi {

/// Reports communicators, datatypes, operators, groups, windows, messages of matched probes and persistent
/// requests.
void report_unfreed_handles(check::Checker& checker);

}  // namespace tutti::mpi
