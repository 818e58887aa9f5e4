// The hosts of a job and how their daemons are started, from the command line, a hostfile and the
// scheduler.
#pragma once

#include <vector>

#include "launcher/job/job.hpp"

namespace tutti::launcher {

/// The nodes of the job in their order, never empty: the hosts that the user names, or those of the Slurm
/// allocation, or this one. The slots of a host that is named several times add up; all names of this
/// machine are one host (Host::local). Where srun starts the daemons, the hosts must be in the allocation,
/// which gives the slots that the user does not. Last hosts that cannot get a rank are left out, so that
/// they need no daemon, except with --doctor. Throws UsageError.
std::vector<Host> job_hosts(const Options& options);

/// How the daemons of other hosts are started. Throws UsageError where that is not possible.
StartMethod start_method(const Options& options);

/// Which process starts a daemon: the head starts the first kTreeRadix, earlier daemons start the others.
/// `index` counts the hosts that are not local; the result is such an index, or -1 for the head.
int starter_of(int index);
/// The hosts that daemon `index` of `count` starts (-1: the head): the first, and one after the last.
std::pair<int, int> started_by(int index, int count);

inline constexpr int kTreeRadix = 32;

}  // namespace tutti::launcher
