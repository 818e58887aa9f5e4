// The cores that a line of a rankfile names.
#pragma once

#include <string_view>
#include <vector>

#include "launcher/placement/machine_topology.hpp"

namespace tutti::launcher {

/// The hardware threads of `slots`, ascending, as Open MPI's rankfiles have them: "0,2-3" are cores by their
/// numbers on the machine; "1:0-2" are cores by their numbers on package 1, and "S1" or "1:*" all of that
/// package; "*" are all cores; "p0,8" are hardware threads by the system's numbers; several of these have ';'
/// between them. Throws UsageError, beginning with `where`, for what is not understood and what the machine
/// does not have.
std::vector<int> cpus_of_slots(std::string_view where, std::string_view slots,
                               const MachineTopology& topology);

}  // namespace tutti::launcher
