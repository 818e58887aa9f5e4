// The cores (or hardware threads) of a machine, and how --map-by assigns them to ranks.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "launcher/job/job_plan.hpp"
#include "launcher/placement/machine_topology.hpp"

namespace tutti::launcher {

/// The smallest thing that a rank gets: a core, or a hardware thread where ranks are mapped to these.
struct Unit {
    std::vector<int> cpus;        // hardware threads in it
    int core = 0;                 // index into MachineTopology::cores()
    const Core* place = nullptr;  // that core
};

/// The number of the core, socket, NUMA node or cache that the unit lies in; 0 for levels that are no part of
/// a machine.
int number_of(const Unit& unit, MachineLevel level) noexcept;

/// All units of the machine, in the topology's order. They lead to its cores.
std::vector<Unit> make_units(const MachineTopology& topology, bool by_hwthread);

/// The units of a machine in groups, by their indices, and the order in which ranks use the groups.
struct UnitGroups {
    /// Who comes next: the first group with room, the next one in turn with room, or the next one in turn and
    /// no other.
    enum class Order { fill, round_robin, strict };

    std::vector<std::vector<int>> groups;
    Order order = Order::fill;
    int in_turn = 1;  // ranks that a group gets before the next has its turn
};

/// By socket, NUMA node or cache in turn where ranks are mapped by these; else NUMA node by NUMA node.
UnitGroups group_units(std::span<const Unit> units, MachineLevel map_by);
/// `per.ranks` to each object.
UnitGroups group_units(std::span<const Unit> units, const RanksPer& per);

/// How many objects of the level a machine with these units has; 1 for levels that are no part of a machine.
/// For hardware threads each unit must be one.
int count_objects(std::span<const Unit> units, MachineLevel level);

/// Assigns `widths[rank]` neighbouring units of one group to each rank, and to no other. Nothing when they do
/// not fit.
std::optional<std::vector<std::vector<int>>> assign_exclusively(const UnitGroups& units,
                                                                std::span<const int> widths);

/// Assigns one unit to each rank; starts again from the first when all, or all of a group, are taken.
std::vector<int> assign_shared(const UnitGroups& units, int ranks);

}  // namespace tutti::launcher
