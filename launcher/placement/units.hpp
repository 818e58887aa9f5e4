// The cores (or hardware threads) of a machine, and how --map-by assigns them to ranks.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "launcher/job/job.hpp"
#include "launcher/placement/topology.hpp"

namespace tutti::launcher {

/// The smallest thing that a rank gets: a core, or a hardware thread with --map-by hwthread.
struct Unit {
    std::vector<int> cpus;  // hardware threads in it
    int core = 0;           // index into Topology::cores()
    int package = 0;
    int numa = 0;
};

/// All units of the machine, in the topology's order.
std::vector<Unit> make_units(const Topology& topology, MapBy map_by);

/// The units of a machine in groups, by their indices, and the order in which ranks use the groups.
struct UnitGroups {
    std::vector<std::vector<int>> groups;
    bool round_robin = false;  // otherwise the first group with room is used
};

UnitGroups group_units(std::span<const Unit> units, MapBy map_by);

/// Assigns `widths[rank]` neighbouring units of one group to each rank, and to no other. Nothing when they do
/// not fit.
std::optional<std::vector<std::vector<int>>> assign_exclusively(const UnitGroups& units,
                                                                std::span<const int> widths);

/// Assigns one unit to each rank; starts again from the first when all are taken.
std::vector<int> assign_shared(const UnitGroups& units, int ranks);

}  // namespace tutti::launcher
