// On which node each rank runs: the first step of mapping.
#pragma once

#include <span>
#include <vector>

#include "launcher/job/job.hpp"

namespace tutti::launcher {

/// A rank's program and node, in the order of mapping.
struct Seat {
    int app = 0;
    int node = 0;
};

/// Seats for all ranks of the job, program by program. `hosts` have their real numbers of slots.
///
/// Each host is filled up to its slots before the next one gets ranks; with --map-by node hosts get ranks one
/// by one in turn. When all slots are taken, as many again are taken on each host, up to its max_slots. With
/// Options::ranks_per_node each program has so many ranks at most on each host, whatever the slots.
/// A program without a number of ranks gets all slots (or ranks_per_node on each host). Throws UsageError.
std::vector<Seat> seat_ranks(const Options& options, std::span<const Host> hosts);

}  // namespace tutti::launcher
