#include "launcher/placement/units.hpp"

#include <algorithm>
#include <cstddef>

namespace tutti::launcher {
namespace {

/// Takes units from the front of each group.
class Allocator {
public:
    explicit Allocator(const UnitGroups& units) : units_(&units), used_(units.groups.size(), 0) {}

    /// The next `width` units of the group whose turn it is, or of the next one with room; empty for none.
    std::vector<int> take(int width)
    {
        const std::size_t count = used_.size();
        for (std::size_t step = 0; step < count; ++step) {
            const std::size_t group = (turn_ + step) % count;
            const auto begin = units_->groups[group].begin() + used_[group];
            if (width <= units_->groups[group].end() - begin) {
                used_[group] += width;
                turn_ = units_->round_robin ? (group + 1) % count : 0;
                return {begin, begin + width};
            }
        }
        return {};
    }

private:
    const UnitGroups* units_;
    std::vector<std::ptrdiff_t> used_;
    std::size_t turn_ = 0;
};

}  // namespace

std::vector<Unit> make_units(const Topology& topology, MapBy map_by)
{
    std::vector<Unit> units;
    for (int index = 0; index < topology.core_count(); ++index) {
        const Core& core = topology.cores()[static_cast<std::size_t>(index)];
        if (map_by != MapBy::hwthread) {
            units.push_back({core.cpus, index, core.package, core.numa});
            continue;
        }
        for (const int cpu : core.cpus)
            units.push_back({{cpu}, index, core.package, core.numa});
    }
    return units;
}

UnitGroups group_units(std::span<const Unit> units, MapBy map_by)
{
    // Ranks that fill one NUMA node after the other take the units in their order, and none lies across two.
    UnitGroups result{{}, map_by == MapBy::socket || map_by == MapBy::numa};
    for (std::size_t i = 0; i < units.size(); ++i) {
        const int number = map_by == MapBy::socket ? units[i].package : units[i].numa;
        const auto group = static_cast<std::size_t>(number);  // they are numbered from 0 without gaps
        result.groups.resize(std::max(result.groups.size(), group + 1));
        result.groups[group].push_back(static_cast<int>(i));
    }
    return result;
}

std::optional<std::vector<std::vector<int>>> assign_exclusively(const UnitGroups& units,
                                                                std::span<const int> widths)
{
    Allocator allocator(units);
    std::vector<std::vector<int>> assigned;
    for (const int width : widths) {
        assigned.push_back(allocator.take(width));
        if (assigned.back().empty())
            break;
    }
    if (assigned.empty() || !assigned.back().empty())
        return assigned;
    if (units.round_robin || units.groups.size() < 2)
        return std::nullopt;
    // Whole NUMA nodes leave too many remainders: one group of all units lets a rank lie across two nodes.
    UnitGroups all{{{}}, false};
    for (const std::vector<int>& group : units.groups)
        all.groups.front().insert(all.groups.front().end(), group.begin(), group.end());
    return assign_exclusively(all, widths);
}

std::vector<int> assign_shared(const UnitGroups& units, int ranks)
{
    Allocator allocator(units);
    std::vector<int> assigned;
    while (static_cast<int>(assigned.size()) < ranks) {
        const std::vector<int> unit = allocator.take(1);
        if (unit.empty())
            allocator = Allocator(units);
        else
            assigned.push_back(unit.front());
    }
    return assigned;
}

}  // namespace tutti::launcher
