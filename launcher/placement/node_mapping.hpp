// On which node each rank runs: the first step of mapping.
#pragma once

#include <span>
#include <vector>

#include "launcher/job/job.hpp"

namespace tutti::launcher {

/// A rank's program and node, in the order of mapping.
struct MappedRank {
    int app = 0;
    int node = 0;
};

/// Maps all ranks of the job to nodes, program by program. `hosts` have their real numbers of slots.
///
/// Each host is filled up to its slots before the next one gets ranks; with --map-by node each host gets one
/// rank in turn. When all slots are taken, each host takes as many ranks again, up to its max_slots. With
/// Options::ranks_per_node each program has at most that many ranks on each host, whatever the slots.
/// A program without a number of ranks gets all slots (or ranks_per_node on each host). Throws UsageError.
std::vector<MappedRank> map_to_nodes(const Options& options, std::span<const Host> hosts);

}  // namespace tutti::launcher
