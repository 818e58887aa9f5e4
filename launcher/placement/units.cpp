#include "launcher/placement/units.hpp"

#include <algorithm>
#include <cstddef>

namespace tutti::launcher {
namespace {

using Order = UnitGroups::Order;

/// Takes units from the front of each group.
class Allocator {
public:
    explicit Allocator(const UnitGroups& units) : units_(&units), used_(units.groups.size(), 0) {}

    /// The next `width` units of the group whose turn it is, or of the next one with room where another will
    /// do; empty for none.
    std::vector<int> take(int width)
    {
        const std::size_t count =
            units_->order == Order::strict ? std::min<std::size_t>(used_.size(), 1) : used_.size();
        for (std::size_t step = 0; step < count; ++step) {
            const std::size_t group = (turn_ + step) % used_.size();
            const auto begin = units_->groups[group].begin() + used_[group];
            if (width <= units_->groups[group].end() - begin) {
                used_[group] += width;
                end_turn(group);
                return {begin, begin + width};
            }
        }
        return {};
    }

    /// Lets the group whose turn it is begin again, or all groups.
    void begin_again()
    {
        if (units_->order == Order::strict)
            used_[turn_] = 0;
        else
            *this = Allocator(*units_);
    }

private:
    void end_turn(std::size_t group)
    {
        if (units_->order == Order::fill)
            return;
        taken_ = group == turn_ ? taken_ + 1 : 1;
        turn_ = group;
        if (taken_ < units_->in_turn)
            return;
        taken_ = 0;
        turn_ = (group + 1) % used_.size();
    }

    const UnitGroups* units_;
    std::vector<std::ptrdiff_t> used_;
    std::size_t turn_ = 0;
    int taken_ = 0;  // ranks that the group whose turn it is has got in this turn
};

/// The number of the object that the unit lies in.
int object_of(const Unit& unit, MapBy object)
{
    switch (object) {
        case MapBy::core:
            return unit.core;
        case MapBy::socket:
            return unit.package;
        case MapBy::l3cache:
            return unit.l3cache;
        case MapBy::slot:
        case MapBy::numa:
        case MapBy::hwthread:
        case MapBy::node:
        case MapBy::seq:
            break;
    }
    return unit.numa;
}

}  // namespace

std::vector<Unit> make_units(const Topology& topology, bool by_hwthread)
{
    std::vector<Unit> units;
    for (int index = 0; index < topology.core_count(); ++index) {
        const Core& core = topology.cores()[static_cast<std::size_t>(index)];
        if (!by_hwthread) {
            units.push_back({core.cpus, index, core.package, core.numa, core.l3cache});
            continue;
        }
        for (const int cpu : core.cpus)
            units.push_back({{cpu}, index, core.package, core.numa, core.l3cache});
    }
    return units;
}

UnitGroups group_units(std::span<const Unit> units, MapBy map_by)
{
    const bool in_turn = map_by == MapBy::socket || map_by == MapBy::numa || map_by == MapBy::l3cache;
    // Ranks that fill one NUMA node after the other take the units in their order, and none lies across two.
    UnitGroups result{{}, in_turn ? Order::round_robin : Order::fill};
    for (std::size_t i = 0; i < units.size(); ++i) {
        // They are numbered from 0 without gaps.
        const auto group = static_cast<std::size_t>(object_of(units[i], in_turn ? map_by : MapBy::numa));
        result.groups.resize(std::max(result.groups.size(), group + 1));
        result.groups[group].push_back(static_cast<int>(i));
    }
    return result;
}

UnitGroups group_units(std::span<const Unit> units, const RanksPer& per)
{
    UnitGroups result{{}, Order::strict, per.ranks};
    for (std::size_t i = 0; i < units.size(); ++i) {
        const bool itself = per.object == MapBy::hwthread;
        const auto group = itself ? i : static_cast<std::size_t>(object_of(units[i], per.object));
        result.groups.resize(std::max(result.groups.size(), group + 1));
        result.groups[group].push_back(static_cast<int>(i));
    }
    return result;
}

int count_objects(const Topology& topology, MapBy object)
{
    switch (object) {
        case MapBy::core:
            return topology.core_count();
        case MapBy::socket:
            return topology.package_count();
        case MapBy::numa:
            return topology.numa_count();
        case MapBy::l3cache:
            return topology.l3cache_count();
        case MapBy::hwthread:
            return static_cast<int>(topology.cpus().size());
        case MapBy::slot:
        case MapBy::node:
        case MapBy::seq:
            break;
    }
    return 1;
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
    if (units.order != Order::fill || units.groups.size() < 2)
        return std::nullopt;
    // Whole NUMA nodes leave too many remainders: one group of all units lets a rank lie across two nodes.
    UnitGroups all{{{}}};
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
            allocator.begin_again();
        else
            assigned.push_back(unit.front());
    }
    return assigned;
}

}  // namespace tutti::launcher
