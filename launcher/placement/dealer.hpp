// Deals out cores (or hardware threads) to ranks: the arithmetic behind --map-by.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "launcher/job/job.hpp"
#include "launcher/placement/topology.hpp"

namespace tutti::launcher {

/// The smallest thing that is dealt out: a core, or a hardware thread with --map-by hwthread.
struct Unit {
    std::vector<int> cpus;  // hardware threads in it
    int core = 0;           // index into Topology::cores()
    int package = 0;
    int numa = 0;
};

/// All units of the machine, in the topology's order.
std::vector<Unit> make_units(const Topology& topology, MapBy map_by);

/// Groups of unit indices and the order in which ranks draw from them.
struct Deck {
    std::vector<std::vector<int>> groups;
    bool round_robin = false;  // otherwise the first group with room is used
};

Deck make_deck(std::span<const Unit> units, MapBy map_by);

/// Gives each rank `widths[rank]` neighbouring units of one group, nobody else's. Empty when they do not fit.
std::optional<std::vector<std::vector<int>>> deal_exclusively(const Deck& deck, std::span<const int> widths);

/// Gives each of `ranks` one unit; when all are taken, begins again.
std::vector<int> deal_in_turns(const Deck& deck, int ranks);

}  // namespace tutti::launcher
