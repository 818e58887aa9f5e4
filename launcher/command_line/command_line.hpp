// The launcher's command line.
#pragma once

#include "launcher/base/option_values.hpp"
#include "launcher/job/job_plan.hpp"

namespace tutti::launcher {

/// Nothing is to run: --help or --version was printed. This is no error and no std::exception, so that no
/// general handler takes it for one.
struct EarlyExit {
    int status = 0;
};

/// Reads the command line of tuttirun, in the dialects of Open MPI and Hydra, the environment variables
/// that --help lists, and the hostfile. Throws UsageError for what it does not understand, and EarlyExit
/// after printing help or version to stdout. argv[0] is the launcher itself.
JobOptions parse_command_line(int argc, const char* const* argv);

}  // namespace tutti::launcher
