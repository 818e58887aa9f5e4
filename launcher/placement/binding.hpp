// From the cores that a rank was dealt to the hardware threads that it is bound to.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "launcher/job/job.hpp"
#include "launcher/placement/dealer.hpp"
#include "launcher/placement/topology.hpp"

namespace tutti::launcher {

/// Binds one rank after the other; remembers which hardware threads it gave away.
class Binder {
public:
    /// `topology` and `units` must live as long as the Binder.
    Binder(const Topology& topology, std::span<const Unit> units, Binding binding);

    /// Hardware threads, ascending, of a rank that was dealt `dealt`; empty when it is not to be bound. With
    /// Binding::automatic these are the dealt units themselves if they are its own (`exclusive`), else none.
    std::vector<int> cpus(const std::vector<int>& dealt, bool exclusive);

private:
    std::vector<int> cpus_of_units(const std::vector<int>& dealt) const;
    std::vector<int> cpus_where(int Core::*number, int wanted) const;
    int next_cpu(const Unit& home);

    const Topology& topology_;
    std::span<const Unit> units_;
    Binding binding_;
    std::map<int, std::size_t> uses_;  // first hardware thread of a unit -> ranks that came to it so far
};

}  // namespace tutti::launcher
