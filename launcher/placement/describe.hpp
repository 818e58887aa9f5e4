// What --report-bindings and --display map print.
#pragma once

#include <span>
#include <string>

#include "launcher/job/job.hpp"
#include "launcher/placement/topology.hpp"

namespace tutti::launcher {

/// One line a rank: "rank 0 on host bound to core 0 (cpus 0-1): [BB/..][../..]". The picture has a bracket a
/// package, a group between '/' a core, and a letter a hardware thread, 'B' where the rank is bound. There is
/// a topology for each of the map's nodes.
std::string describe_bindings(const JobMap& map, std::span<const Topology> topologies);

/// Hosts, programs and ranks of the job, several lines.
std::string describe_map(const Options& options, const JobMap& map);

}  // namespace tutti::launcher
