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

/// The indices of units by the object of this level that each lies in. Objects are numbered from 0 without
/// gaps.
std::vector<std::vector<int>> groups_of(std::span<const Unit> units, MachineLevel level)
{
    std::vector<std::vector<int>> groups;
    for (std::size_t i = 0; i < units.size(); ++i) {
        const bool itself = level == MachineLevel::hwthread;
        const auto group = itself ? i : static_cast<std::size_t>(number_of(units[i], level));
        groups.resize(std::max(groups.size(), group + 1));
        groups[group].push_back(static_cast<int>(i));
    }
    return groups;
}

}  // namespace

std::vector<Unit> make_units(const MachineTopology& topology, bool by_hwthread)
{
    std::vector<Unit> units;
    for (int index = 0; index < topology.core_count(); ++index) {
        const Core& core = topology.cores()[static_cast<std::size_t>(index)];
        if (!by_hwthread) {
            units.push_back({core.cpus, index, &core});
            continue;
        }
        for (const int cpu : core.cpus)
            units.push_back({{cpu}, index, &core});
    }
    return units;
}

int number_of(const Unit& unit, MachineLevel level) noexcept
{
    return level == MachineLevel::core      ? unit.core
           : level == MachineLevel::socket  ? unit.place->package
           : level == MachineLevel::numa    ? unit.place->numa
           : level == MachineLevel::l3cache ? unit.place->l3cache
                                            : 0;
}

UnitGroups group_units(std::span<const Unit> units, MachineLevel map_by)
{
    const bool in_turn =
        map_by == MachineLevel::socket || map_by == MachineLevel::numa || map_by == MachineLevel::l3cache;
    // Ranks that fill one NUMA node after the other take the units in their order, and none lies across two.
    return {groups_of(units, in_turn ? map_by : MachineLevel::numa),
            in_turn ? Order::round_robin : Order::fill};
}

UnitGroups group_units(std::span<const Unit> units, const RanksPer& per)
{
    return {groups_of(units, per.object), Order::strict, per.ranks};
}

int count_objects(std::span<const Unit> units, MachineLevel level)
{
    return static_cast<int>(groups_of(units, level).size());
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
