// Where each rank goes: on which node, to which cores, and with which number.
//
// Four steps, each with its option:
//  1. nodes (map_to_nodes()): each node gets as many ranks as it has slots, or as --map-by node and ppr
//  say. A rankfile and --map-by seq name the node of each rank.
//  2. mapping (--map-by) assigns the cores of each node.
//       slot, node, seq: from the first core on. A rank is not split over two NUMA nodes where that can be
//       avoided. core, hwthread: one after the other. socket, numa, l3cache: round robin, without those that
//       are full. ppr:N:WHAT: N ranks to each core, socket, ..., and none to another in place of one that is
//       full.
//     When all cores are taken it starts again from the first. A rankfile may name the cores of a rank.
//  3. ranking (--rank-by) numbers what was mapped. Without it the order is that of mapping.
//       slot: node by node, in the order of mapping.
//       node: one from each node in turn.
//       core, socket, numa, l3cache: node by node, one from each core (socket, ...) in turn.
//     The ranks of each program follow those of the program before it.
//  4. binding (--bind-to) widens the rank's place to a core, socket, ..., or leaves the rank unbound.
//
// Without --bind-to, the only rank of a node is not bound. Otherwise each rank gets OMP_NUM_THREADS cores of
// its own, or as many as --map-by slot:PE=N or --bind-to core:N says. Where that is not set it gets an equal
// share of the node's cores; with --map-by core or hwthread it gets one of these. When the node has too few
// cores, or a control group's quota grants too little time, none of its ranks is bound. Within --cpu-set,
// ranks that would not be bound are bound to all of the set.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/job_plan.hpp"
#include "launcher/placement/machine_topology.hpp"

namespace tutti::launcher {

/// Places all ranks of the job. `hosts` come from job_hosts() and become the map's nodes; `topologies` has
/// the machine of each. A program without a number of ranks gets one for each slot. Throws UsageError when
/// max_slots, --stdin's rank or the total number of ranks does not fit.
JobMap map_job(const JobOptions& options, std::span<const Host> hosts,
               std::span<const MachineTopology> topologies);

/// The machine of `host` with only the cores of --cpu-set. Throws UsageError when it has none of them.
MachineTopology only_cores(const MachineTopology& topology, std::span<const int> cpu_set,
                           std::string_view host);

/// A rank's program and node, in the order of mapping.
struct MappedRank {
    int app = 0;
    int node = 0;
};

/// Maps all ranks of the job to nodes, program by program. `hosts` have their real numbers of slots.
///
/// Each host is filled up to its slots before the next one gets ranks; with --map-by node each host gets one
/// rank in turn. When all slots are taken, each host takes as many ranks again, up to its max_slots. With
/// JobOptions::ranks_per each program has at most that many ranks on each host for each of its `objects`,
/// whatever the slots. A program without a number of ranks gets all of these. Where hosts have listed ranks,
/// these and no others go there. Throws UsageError.
///
/// @param objects  how many objects of JobOptions::ranks_per each host has; empty: one each
std::vector<MappedRank> map_to_nodes(const JobOptions& options, std::span<const Host> hosts,
                                     std::span<const int> objects = {});

/// One line a rank: "rank 0 on host bound to core 0 (cpus 0-1): [BB/..][../..]". The picture has a bracket a
/// package, a group between '/' a core, and a letter a hardware thread, 'B' where the rank is bound. There is
/// a topology for each of the map's nodes. Of more than kHostsInFull hosts that are alike one is shown, and
/// the others are named in a line behind: "ranks 4-199 on node[002-050]: alike, as on node001". With
/// JobOptions::verbosity all are shown.
std::string describe_bindings(const JobOptions& options, const JobMap& map,
                              std::span<const MachineTopology> topologies);

/// Hosts, programs and ranks of the job, several lines; of many hosts as in describe_bindings().
std::string describe_map(const JobOptions& options, const JobMap& map);

}  // namespace tutti::launcher
