// Where each rank goes: how many there are, which cores they get, and in which order they are numbered.
//
// Three steps, each with its option:
//  1. mapping (--map-by) deals out cores. slot, node: from the first core on, without splitting a rank over
//  two
//     NUMA nodes where that can be avoided; core, hwthread: one after the other; socket, numa: round robin,
//     passing over those that are full. When all are full it starts again from the first.
//  2. ranking (--rank-by) numbers what was mapped. slot, node: in the order of mapping; core, socket, numa:
//  one
//     from each core (socket, NUMA node) in turn. Each program's ranks follow those of the program before it.
//  3. binding (--bind-to) widens the rank's place to a core, socket, ..., or leaves it free.
//
// Without --bind-to: a single rank is not bound. Otherwise each rank gets cores of its own, OMP_NUM_THREADS
// of them; where that is not set, an equal share of all cores (one core or hardware thread with --map-by core
// or hwthread). When there are not enough cores for that, or a control group's quota grants less time, no
// rank is bound.
#pragma once

#include "launcher/job.hpp"
#include "launcher/topology.hpp"

namespace tutti::launcher {

/// Places all ranks of the job on this machine. Applications without a number of ranks get one for each slot
/// of the hosts named, or of the topology. Throws UsageError when a host's max_slots, --stdin's rank or the
/// total number of ranks does not fit.
JobMap map_job(const Options& options, const Topology& topology);

/// Whether some of the ranks have to take turns on a core, for want of cores, of CPU quota, or by their
/// binding.
bool ranks_share_cores(const JobMap& map, const Topology& topology);

}  // namespace tutti::launcher
