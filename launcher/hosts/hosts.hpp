// The hosts of a job and how their daemons are started: what the command line, a hostfile and the scheduler
// say together.
#pragma once

#include <span>
#include <vector>

#include "launcher/job/job.hpp"

namespace tutti::launcher {

/// The nodes of the job, in their order, never empty: the hosts named, or those of the Slurm allocation, or
/// this one. A host named several times has all the slots that were given to it; names of this machine are
/// one host (Host::local). In an allocation whose daemons srun starts, the hosts must belong to it, and those
/// without a number of slots have the allocation's. Hosts at the end that certainly get no rank are left out,
/// so that they need no daemon; not with --doctor. Throws UsageError.
std::vector<Host> job_hosts(const Options& options);

/// How daemons of the hosts that are not local are started. Throws UsageError where that cannot be.
StartMethod start_method(const Options& options);

/// Who starts a daemon where there are many: the first kTreeRadix by the head, the others by daemons before
/// them. `index` counts the hosts that are not local; the result is such an index, or -1 for the head.
int starter_of(int index);
/// The hosts that daemon `index` of `count` starts, -1 being the head: first and one behind the last.
std::pair<int, int> started_by(int index, int count);

inline constexpr int kTreeRadix = 32;

}  // namespace tutti::launcher
