// A rank's numbers in variables, under the names that programs and scripts know from other launchers.
#pragma once

#include "launcher/job/job_messages.hpp"
#include "launcher/ranks/rank_environment.hpp"

namespace tutti::launcher {

/// Under those that torchrun gives them. MASTER_ADDR and MASTER_PORT are not among them: nobody holds a port
/// for the program.
void set_torchrun_variables(RankEnvironment& environment, const LaunchOrder& order,
                            const RankPlacement& rank);

/// Under those of Open MPI's and MPICH's mpirun, which wrappers and scripts read to tell ranks apart before
/// MPI starts, and beside them that they are Tutti's (lib/foundation/control/rank_numbers.hpp).
/// OMPI_UNIVERSE_SIZE is not among them: where it is set, Open MPI's mpirun refuses to start a job within a
/// rank.
void set_mpirun_variables(RankEnvironment& environment, const LaunchOrder& order, const RankPlacement& rank);

/// Those by which other MPI libraries find the servers of the job: MPICH that of PMI-1 at this descriptor,
/// Open MPI that of PMIx.
void set_server_variables(RankEnvironment& environment, const LaunchOrder& order, const RankPlacement& rank,
                          int descriptor);

}  // namespace tutti::launcher
