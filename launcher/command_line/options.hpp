// The launcher's command line.
#pragma once

#include "launcher/base/usage_error.hpp"
#include "launcher/job/job.hpp"

namespace tutti::launcher {

/// There is nothing to run: --help or --version was asked for and printed. Not an error; deliberately no
/// std::exception, so that no general handler takes it for one.
struct EarlyExit {
    int status = 0;
};

/// Reads the command line of tuttirun, in Open MPI's and in Hydra's dialect; also MPIEXEC_TIMEOUT from the
/// environment, and a hostfile where one is named. Throws UsageError for anything that is not understood, and
/// EarlyExit after printing help or version to stdout. argv[0] is the launcher itself.
Options parse_command_line(int argc, const char* const* argv);

}  // namespace tutti::launcher
