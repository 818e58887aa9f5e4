#include "launcher/placement/binding.hpp"

#include <algorithm>

namespace tutti::launcher {

Binder::Binder(const Topology& topology, std::span<const Unit> units, Binding binding)
    : topology_(topology), units_(units), binding_(binding)
{
}

std::vector<int> Binder::cpus(const std::vector<int>& dealt, bool exclusive)
{
    const Unit& home = units_[static_cast<std::size_t>(dealt.front())];
    switch (binding_) {
        case Binding::none:
            return {};
        case Binding::automatic:
            return exclusive ? cpus_of_units(dealt) : std::vector<int>{};
        case Binding::core:
            return topology_.cores()[static_cast<std::size_t>(home.core)].cpus;
        case Binding::socket:
            return cpus_where(&Core::package, home.package);
        case Binding::numa:
            return cpus_where(&Core::numa, home.numa);
        case Binding::hwthread:
            return {next_cpu(home)};
    }
    return {};
}

std::vector<int> Binder::cpus_of_units(const std::vector<int>& dealt) const
{
    std::vector<int> result;
    for (const int index : dealt) {
        const std::vector<int>& cpus = units_[static_cast<std::size_t>(index)].cpus;
        result.insert(result.end(), cpus.begin(), cpus.end());
    }
    std::ranges::sort(result);
    return result;
}

std::vector<int> Binder::cpus_where(int Core::*number, int wanted) const
{
    std::vector<int> result;
    for (const Core& core : topology_.cores())
        if (core.*number == wanted)
            result.insert(result.end(), core.cpus.begin(), core.cpus.end());
    std::ranges::sort(result);
    return result;
}

// Ranks that share a core take its hardware threads in turn.
int Binder::next_cpu(const Unit& home)
{
    const std::size_t use = uses_[home.cpus.front()]++;
    return home.cpus[use % home.cpus.size()];
}

}  // namespace tutti::launcher
