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

#include "launcher/base/values.hpp"
#include "launcher/placement/binding.hpp"
#include "launcher/placement/dealer.hpp"
#include "launcher/placement/node_mapping.hpp"

namespace tutti::launcher {
namespace {

/// One rank on its way through the steps, in the order of mapping.
struct Place {
    int app = 0;
    int node = 0;
    std::vector<int> units{};  // of its node
    bool exclusive = false;    // nobody else was dealt these units
};

/// The first number of OMP_NUM_THREADS ("4,2" sets nested levels), as the ranks of `app` will see it.
std::optional<int> threads_per_rank(const AppContext& app)
{
    const char* inherited = std::getenv("OMP_NUM_THREADS");
    std::string text = inherited != nullptr ? inherited : "";
    for (const auto& [name, value] : app.environment)
        if (name == "OMP_NUM_THREADS")
            text = value;
    const int threads = std::atoi(text.c_str());
    return threads > 0 ? std::optional(threads) : std::nullopt;
}

/// Gives every rank units of its own. False, with nothing changed, when there are not enough of them.
bool place_exclusively(std::vector<Place>& places, const Deck& deck, const std::vector<int>& widths)
{
    auto hands = deal_exclusively(deck, widths);
    for (std::size_t i = 0; hands && i < places.size(); ++i) {
        places[i].units = std::move((*hands)[i]);
        places[i].exclusive = true;
    }
    return hands.has_value();
}

/// Default binding, as the head of mapping.hpp describes it. False when the ranks are better left unbound.
bool place_automatically(const Options& options, const Topology& topology, const Deck& deck,
                         std::vector<Place>& places)
{
    const int ranks = static_cast<int>(places.size());
    if (ranks == 1)
        return false;
    std::vector<std::optional<int>> threads;
    for (const AppContext& app : options.apps)
        threads.push_back(threads_per_rank(app));
    std::vector<int> widths;
    long long demand = 0;
    for (const Place& place : places) {
        widths.push_back(threads[static_cast<std::size_t>(place.app)].value_or(1));
        demand += widths.back();
    }
    // A quota is time, whatever it is spent on: it bounds hardware threads as it bounds cores.
    const bool by_hwthread = options.map_by == MapBy::hwthread;
    const int quota = topology.usable_cores() < topology.core_count() ? topology.slots() : kMaxRanks;
    const int units = by_hwthread ? static_cast<int>(topology.cpus().size()) : topology.core_count();
    const int available = std::min(units, quota);
    if (demand > available)
        return false;
    const bool told_threads =
        std::ranges::any_of(threads, [](const auto& count) { return count.has_value(); });
    if (!told_threads && !by_hwthread && options.map_by != MapBy::core) {
        // The largest share that all can get; less than available / ranks when groups leave remainders.
        for (int share = available / ranks; share > 1; --share)
            if (place_exclusively(places, deck, std::vector<int>(places.size(), share)))
                return true;
    }
    return place_exclusively(places, deck, widths);
}

/// One node: its machine, and what can be dealt out there.
struct Machine {
    Machine(const Topology& its_topology, const Options& options)
        : topology(its_topology),
          units(make_units(topology, options.map_by)),
          binder(topology, units, options.binding)
    {
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const Topology& topology;
    std::vector<Unit> units;
    Binder binder;
};

/// Deals the units of each machine to its ranks.
void deal_units(const Options& options, const std::deque<Machine>& machines, std::vector<Place>& places)
{
    std::vector<std::vector<std::size_t>> of_node(machines.size());
    for (std::size_t i = 0; i < places.size(); ++i)
        of_node[static_cast<std::size_t>(places[i].node)].push_back(i);
    for (std::size_t node = 0; node < machines.size(); ++node) {
        std::vector<Place> local;
        for (const std::size_t i : of_node[node])
            local.push_back(places[i]);
        const Machine& machine = machines[node];
        const Deck deck = make_deck(machine.units, options.map_by);
        if (options.binding != Binding::automatic || local.empty() ||
            !place_automatically(options, machine.topology, deck, local)) {
            const std::vector<int> dealt = deal_in_turns(deck, static_cast<int>(local.size()));
            for (std::size_t i = 0; i < local.size(); ++i)
                local[i].units = {dealt[i]};
        }
        for (std::size_t i = 0; i < local.size(); ++i)
            places[of_node[node][i]] = std::move(local[i]);
    }
}

/// The core, socket or NUMA node that --rank-by counts; 0 where it counts none of them.
int object_of(const Place& place, const Machine& machine, RankBy rank_by)
{
    const Unit& unit = machine.units[static_cast<std::size_t>(place.units.front())];
    switch (rank_by) {
        case RankBy::core:
            return unit.core;
        case RankBy::socket:
            return unit.package;
        case RankBy::numa:
            return unit.numa;
        case RankBy::as_mapped:
        case RankBy::slot:
        case RankBy::node:
            break;
    }
    return 0;
}

/// Numbers the ranks: the order of `places` becomes the order of ranks.
void rank_places(std::vector<Place>& places, const std::deque<Machine>& machines, RankBy rank_by)
{
    // The k-th rank of an object comes in round k; within a round objects follow in their order. With
    // --rank-by node the nodes are the objects; otherwise they follow each other, or (as mapped) do not
    // count.
    std::map<std::tuple<int, int, int>, int> seen;
    std::vector<std::tuple<int, int, int, int, std::size_t>> keys;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Place& place = places[i];
        const bool by_node = rank_by == RankBy::node;
        const int home =
            by_node ? place.node : object_of(place, machines[static_cast<std::size_t>(place.node)], rank_by);
        const int node = by_node || rank_by == RankBy::as_mapped ? 0 : place.node;
        keys.emplace_back(place.app, node, seen[{place.app, node, home}]++, home, i);
    }
    std::ranges::sort(keys);
    std::vector<Place> ranked;
    for (const auto& key : keys)
        ranked.push_back(std::move(places[std::get<4>(key)]));
    places = std::move(ranked);
}

/// Whether some of a node's ranks have to take turns on a core, for want of cores, of CPU quota, or by their
/// binding.
bool ranks_share_cores(const JobMap& map, int node, const Topology& topology)
{
    // Fewer ranks than cores share only where the binding puts more of them on some cores than there are.
    std::map<std::vector<int>, std::size_t> ranks_on;
    std::size_t ranks = 0;
    for (const Placement& placement : map.ranks) {
        if (placement.node == node) {
            ++ranks_on[placement.cpus];
            ++ranks;
        }
    }
    if (static_cast<double>(ranks) > topology.usable_cores())
        return true;
    return std::ranges::any_of(ranks_on, [&](const auto& entry) {
        const auto cores = std::ranges::count_if(topology.cores(), [&](const Core& core) {
            return std::ranges::any_of(core.cpus,
                                       [&](int cpu) { return std::ranges::binary_search(entry.first, cpu); });
        });
        return !entry.first.empty() && entry.second > static_cast<std::size_t>(cores);
    });
}

}  // namespace

JobMap map_job(const Options& options, std::span<const Host> hosts, std::span<const Topology> topologies)
{
    std::vector<Host> with_slots(hosts.begin(), hosts.end());
    std::deque<Machine> machines;
    JobMap map;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (with_slots[i].slots == 0)
            with_slots[i].slots = topologies[i].slots();
        machines.emplace_back(topologies[i], options);
        map.nodes.push_back({hosts[i].name});
    }

    std::vector<Place> places;
    for (const Seat& seat : seat_ranks(options, with_slots))
        places.push_back({seat.app, seat.node});
    deal_units(options, machines, places);
    rank_places(places, machines, options.rank_by);

    std::vector<int> ranks_of_node(hosts.size(), 0);
    for (const Place& place : places) {
        const auto node = static_cast<std::size_t>(place.node);
        std::vector<int> cpus = machines[node].binder.cpus(place.units, place.exclusive);
        std::string text = format_cpu_list(cpus);
        const int rank = static_cast<int>(map.ranks.size());
        map.ranks.push_back(
            {rank, place.app, place.node, ranks_of_node[node]++, std::move(cpus), std::move(text)});
    }
    for (std::size_t node = 0; node < hosts.size(); ++node)
        map.nodes[node].shares_cores = ranks_share_cores(map, static_cast<int>(node), topologies[node]);
    return map;
}

}  // namespace tutti::launcher
