// Where each rank goes: on which node, how many there are, which cores they get, and in which order they are
// numbered.
//
// Four steps, each with its option:
//  1. nodes (node_mapping.hpp): so many ranks on each as it has slots, or as --map-by node and ppr say.
//  2. mapping (--map-by) deals out the cores of each node. slot, node: from the first core on, without
//     splitting a rank over two NUMA nodes where that can be avoided; core, hwthread: one after the other;
//     socket, numa: round robin, passing over those that are full. When all are full it starts again from the
//     first.
//  3. ranking (--rank-by) numbers what was mapped. slot: node by node, in the order of mapping; node: one
//     from each node in turn; core, socket, numa: node by node, one from each core (socket, NUMA node) in
//     turn. Without it the order is that of mapping. Each program's ranks follow those of the program before
//     it.
//  4. binding (--bind-to) widens the rank's place to a core, socket, ..., or leaves it free.
//
// Without --bind-to: a node's only rank is not bound. Otherwise each rank gets cores of its own,
// OMP_NUM_THREADS of them; where that is not set, an equal share of all cores of its node (one core or
// hardware thread with --map-by core or hwthread). When a node has not enough cores for that, or a control
// group's quota grants less time, none of its ranks is bound.
#pragma once

#include <span>

#include "launcher/job/job.hpp"
#include "launcher/placement/topology.hpp"

namespace tutti::launcher {

/// Places all ranks of the job. `hosts` come from job_hosts(), each with its machine at the same index of
/// `topologies`; they become the map's nodes. Applications without a number of ranks get one for each slot.
/// Throws UsageError when max_slots, --stdin's rank or the total number of ranks does not fit.
JobMap map_job(const Options& options, std::span<const Host> hosts, std::span<const Topology> topologies);

}  // namespace tutti::launcher
