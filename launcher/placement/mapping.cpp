#include "launcher/placement/mapping.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"
#include "launcher/placement/slot_list.hpp"
#include "launcher/placement/units.hpp"

namespace tutti::launcher {
namespace {

/// One rank on its way through the steps, in the order of mapping.
struct Place {
    int app = 0;
    int node = 0;
    std::vector<int> units{};  // of its node
    bool exclusive = false;    // no other rank has these units
    std::vector<int> cpus{};   // that a rankfile names; empty: by its units
};

/// What the user gives each rank; else the first number of OMP_NUM_THREADS ("4,2" sets nested levels), as the
/// ranks of `app` will see it.
std::optional<int> threads_per_rank(const JobOptions& options, const AppContext& app)
{
    if (options.cores_per_rank > 0)
        return options.cores_per_rank;
    std::string text = environment_variable("OMP_NUM_THREADS");
    for (const auto& [name, value] : app.environment)
        if (name == "OMP_NUM_THREADS")
            text = value;
    const int threads = std::atoi(text.c_str());
    return threads > 0 ? std::optional(threads) : std::nullopt;
}

/// Whether ranks get hardware threads rather than cores: several ranks a core have these of their own.
bool maps_hwthreads(const JobOptions& options)
{
    return options.map_by == MachineLevel::hwthread || options.ranks_per.object == MachineLevel::hwthread ||
           (options.ranks_per.object == MachineLevel::core && options.ranks_per.ranks > 1);
}

/// Gives every rank units of its own. False, with nothing changed, when there are not enough of them.
bool place_exclusively(std::vector<Place>& places, const UnitGroups& groups, const std::vector<int>& widths)
{
    auto assigned = assign_exclusively(groups, widths);
    for (std::size_t i = 0; assigned && i < places.size(); ++i) {
        places[i].units = std::move((*assigned)[i]);
        places[i].exclusive = true;
    }
    return assigned.has_value();
}

/// Default binding, as the head of mapping.hpp describes it. False when the ranks are better left unbound.
bool place_automatically(const JobOptions& options, const MachineTopology& topology, const UnitGroups& groups,
                         std::vector<Place>& places)
{
    const int ranks = static_cast<int>(places.size());
    if (ranks == 1 && options.cores_per_rank == 0)
        return false;
    // A rankfile binds those that are to be bound: others must not come to their cores.
    if (!options.rankfile.empty())
        return false;
    std::vector<std::optional<int>> threads;
    for (const AppContext& app : options.apps)
        threads.push_back(threads_per_rank(options, app));
    std::vector<int> widths;
    long long demand = 0;
    for (const Place& place : places) {
        widths.push_back(threads[static_cast<std::size_t>(place.app)].value_or(1));
        demand += widths.back();
    }
    // A quota is processor time: it bounds hardware threads as it bounds cores.
    const bool by_hwthread = maps_hwthreads(options);
    const int quota = topology.usable_cores() < topology.core_count() ? topology.slots() : kMaxRanks;
    const int units = by_hwthread ? static_cast<int>(topology.cpus().size()) : topology.core_count();
    const int available = std::min(units, quota);
    if (demand > available)
        return false;
    const bool threads_given =
        std::ranges::any_of(threads, [](const auto& count) { return count.has_value(); });
    if (!threads_given && !by_hwthread && options.map_by != MachineLevel::core) {
        // The largest share that all can get; less than available / ranks when groups leave remainders.
        for (int share = available / ranks; share > 1; --share)
            if (place_exclusively(places, groups, std::vector<int>(places.size(), share)))
                return true;
    }
    return place_exclusively(places, groups, widths);
}

/// One node: its machine, and which hardware threads its ranks are bound to.
class Machine {
public:
    Machine(const MachineTopology& its_topology, const JobOptions& options)
        : topology(its_topology),
          units(make_units(topology, maps_hwthreads(options))),
          binding_(options.binding),
          always_bound_(!options.cpu_set.empty())
    {
    }

    /// In ascending order; empty when the rank is not bound. With MachineLevel::automatic a rank is bound to
    /// its units where they are its own. To be called once for each rank.
    std::vector<int> cpus_of(const Place& place)
    {
        if (!place.cpus.empty())
            return place.cpus;
        const Unit& first = units[static_cast<std::size_t>(place.units.front())];
        std::vector<int> result;
        const auto add = [&result](const std::vector<int>& cpus) {
            result.insert(result.end(), cpus.begin(), cpus.end());
        };
        if (binding_ == MachineLevel::automatic && place.exclusive) {
            for (const int unit : place.units)
                add(units[static_cast<std::size_t>(unit)].cpus);
        } else if (binding_ == MachineLevel::hwthread) {
            // Ranks that share a core take its hardware threads in turn.
            const std::size_t use = uses_[first.cpus.front()]++;
            result.push_back(first.cpus[use % first.cpus.size()]);
        } else if (binding_ != MachineLevel::automatic && binding_ != MachineLevel::none) {
            for (const Unit& unit : units)
                if (number_of(unit, binding_) == number_of(first, binding_))
                    add(unit.cpus);
        }
        if (result.empty() && always_bound_)
            result = topology.cpus();
        std::ranges::sort(result);
        return result;
    }

    const MachineTopology& topology;
    const std::vector<Unit> units;

private:
    const MachineLevel binding_;
    const bool always_bound_;
    std::map<int, std::size_t> uses_;  // first hardware thread of a unit -> ranks that came to it so far
};

/// Assigns the units of each machine to its ranks.
void assign_units(const JobOptions& options, const std::deque<Machine>& machines, std::vector<Place>& places)
{
    std::vector<std::vector<std::size_t>> of_node(machines.size());
    for (std::size_t i = 0; i < places.size(); ++i)
        of_node[static_cast<std::size_t>(places[i].node)].push_back(i);
    for (std::size_t node = 0; node < machines.size(); ++node) {
        std::vector<Place> local;
        for (const std::size_t i : of_node[node])
            local.push_back(places[i]);
        const Machine& machine = machines[node];
        const UnitGroups groups = options.ranks_per.object == MachineLevel::node
                                      ? group_units(machine.units, options.map_by)
                                      : group_units(machine.units, options.ranks_per);
        if (options.binding != MachineLevel::automatic || local.empty() ||
            !place_automatically(options, machine.topology, groups, local)) {
            const std::vector<int> assigned = assign_shared(groups, static_cast<int>(local.size()));
            for (std::size_t i = 0; i < local.size(); ++i)
                local[i].units = {assigned[i]};
        }
        for (std::size_t i = 0; i < local.size(); ++i)
            places[of_node[node][i]] = std::move(local[i]);
    }
}

/// Numbers the ranks: the order of `places` becomes the order of ranks.
void rank_places(std::vector<Place>& places, const std::deque<Machine>& machines, MachineLevel rank_by)
{
    // The k-th rank of an object comes in round k; within a round the objects follow in their order. With
    // --rank-by node the nodes are the objects. Otherwise nodes follow each other, or do not count (as
    // mapped).
    std::map<std::tuple<int, int, int>, int> rounds;
    std::vector<std::tuple<int, int, int, int, std::size_t>> keys;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Place& place = places[i];
        const bool by_node = rank_by == MachineLevel::node;
        const Machine& machine = machines[static_cast<std::size_t>(place.node)];
        const Unit& unit = machine.units[static_cast<std::size_t>(place.units.front())];
        const int home = by_node ? place.node : number_of(unit, rank_by);
        const int node = by_node || rank_by == MachineLevel::automatic ? 0 : place.node;
        keys.emplace_back(place.app, node, rounds[{place.app, node, home}]++, home, i);
    }
    std::ranges::sort(keys);
    std::vector<Place> ranked;
    for (const auto& key : keys)
        ranked.push_back(std::move(places[std::get<4>(key)]));
    places = std::move(ranked);
}

/// Whether some of a node's ranks have to take turns on a core: there are too few cores, the CPU quota is too
/// small, or the binding puts them there.
bool ranks_share_cores(const JobMap& map, int node, const MachineTopology& topology)
{
    std::map<std::vector<int>, std::size_t> ranks_on;
    std::size_t ranks = 0;
    for (const RankPlacement& placement : map.ranks) {
        if (placement.node == node) {
            ++ranks_on[placement.cpus];
            ++ranks;
        }
    }
    if (static_cast<double>(ranks) > topology.usable_cores())
        return true;
    // Fewer ranks than cores share some only where more of them are bound to the same cores than there are.
    return std::ranges::any_of(ranks_on, [&](const auto& entry) {
        const auto cores = std::ranges::count_if(topology.cores(), [&](const Core& core) {
            return std::ranges::any_of(core.cpus,
                                       [&](int cpu) { return std::ranges::binary_search(entry.first, cpu); });
        });
        return !entry.first.empty() && entry.second > static_cast<std::size_t>(cores);
    });
}

}  // namespace

MachineTopology only_cores(const MachineTopology& topology, std::span<const int> cpu_set,
                           std::string_view host)
{
    std::vector<int> numbers;
    for (const Core& core : topology.cores())
        numbers.push_back(core.number);
    if (std::ranges::find_first_of(numbers, cpu_set) == numbers.end()) {
        throw UsageError(fmt::format("--cpu-set: {} has none of these cores; its cores are {}", host,
                                     format_cpu_list(numbers)));
    }
    return topology.only(cpu_set);
}

JobMap map_job(const JobOptions& options, std::span<const Host> hosts,
               std::span<const MachineTopology> topologies)
{
    std::vector<Host> with_slots(hosts.begin(), hosts.end());
    std::vector<int> objects;
    std::deque<Machine> machines;
    JobMap map;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (with_slots[i].slots == 0)
            with_slots[i].slots = topologies[i].slots();
        machines.emplace_back(topologies[i], options);
        objects.push_back(count_objects(machines.back().units, options.ranks_per.object));
        map.nodes.push_back({hosts[i].name});
    }

    std::vector<Place> places;
    for (const MappedRank& rank : map_to_nodes(options, with_slots, objects))
        places.push_back({rank.app, rank.node});
    assign_units(options, machines, places);
    for (std::size_t i = 0; i < hosts.size(); ++i)
        for (const ListedRank& listed : hosts[i].listed)
            if (static_cast<std::size_t>(listed.rank) < places.size() && !listed.slots.empty())
                places[static_cast<std::size_t>(listed.rank)].cpus =
                    cpus_of_slots(listed.where, listed.slots, topologies[i]);
    rank_places(places, machines, options.rank_by);

    std::vector<int> ranks_of_node(hosts.size(), 0);
    for (const Place& place : places) {
        const auto node = static_cast<std::size_t>(place.node);
        std::vector<int> cpus = machines[node].cpus_of(place);
        const int rank = static_cast<int>(map.ranks.size());
        map.ranks.push_back({rank, place.app, place.node, ranks_of_node[node]++, std::move(cpus)});
    }
    for (std::size_t node = 0; node < hosts.size(); ++node)
        map.nodes[node].shares_cores = ranks_share_cores(map, static_cast<int>(node), topologies[node]);
    return map;
}

}  // namespace tutti::launcher
