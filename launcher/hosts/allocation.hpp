// The hosts that a resource manager other than Slurm has given to this process, or that Kubernetes' MPI
// Operator has made for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/job/job_plan.hpp"

namespace tutti::launcher {

struct Allocation {
    std::vector<Host> hosts;         // never empty
    std::vector<std::string> agent;  // starts a command on one of them as ssh does; empty: ssh itself
};

/// That of PBS (and Torque), LSF, Grid Engine or Flux, in this order; else the hostfile that the
/// environment names for Open MPI, MPICH or Intel MPI, as the MPI Operator does. Reads the environment and
/// the files that it names; with Flux runs `flux`. Throws UsageError where these cannot be read.
std::optional<Allocation> other_allocation();

}  // namespace tutti::launcher
