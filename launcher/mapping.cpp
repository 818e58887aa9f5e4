#include "launcher/mapping.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "launcher/binding.hpp"
#include "launcher/dealer.hpp"
#include "launcher/hostfile.hpp"
#include "launcher/usage_error.hpp"
#include "launcher/values.hpp"

namespace tutti::launcher {
namespace {

/// One rank on its way through the three steps, in the order of mapping.
struct Place {
    int app = 0;
    std::vector<int> units;
    bool exclusive = false;  // nobody else was dealt these units
};

/// The first number of OMP_NUM_THREADS ("4,2" sets nested levels), as the ranks of `app` will see it.
std::optional<int> threads_per_rank(const AppContext& app)
{
    const char* inherited = std::getenv("OMP_NUM_THREADS");
    std::string text = inherited != nullptr ? inherited : "";
    for (const auto& [name, value] : app.environment) {
        if (name == "OMP_NUM_THREADS") {
            text = value;
        }
    }
    const int threads = std::atoi(text.c_str());
    return threads > 0 ? std::optional(threads) : std::nullopt;
}

/// Ranks that a program without -n gets.
int slots_of_hosts(const Options& options, const Topology& topology)
{
    int slots = 0;
    for (const Host& host : options.hosts) {
        const int wanted = host.slots > 0 ? host.slots : topology.slots();
        slots += host.max_slots > 0 ? std::min(wanted, host.max_slots) : wanted;
    }
    return options.hosts.empty() ? topology.slots() : slots;
}

/// Refuses totals that cannot be started. max_slots bind only when every host named has them.
void check_total(const Options& options, long long ranks)
{
    if (ranks > kMaxRanks) {
        throw UsageError(
            fmt::format("{} ranks in all are more than the {} that one machine may get", ranks, kMaxRanks));
    }
    long long most = 0;
    const bool limited = !options.hosts.empty() && std::ranges::all_of(options.hosts, [](const Host& host) {
        return host.max_slots > 0;
    });
    for (const Host& host : options.hosts) {
        most += host.max_slots;
    }
    if (limited && ranks > most) {
        throw UsageError(
            fmt::format("{} ranks are wanted, but the hostfile's max_slots allow {}; raise max_slots "
                        "or ask for fewer ranks",
                        ranks, most));
    }
    if (options.stdin_target == StdinTarget::rank && options.stdin_rank >= ranks) {
        throw UsageError(fmt::format("--stdin {}: there is no such rank; this job's ranks are 0 to {}",
                                     options.stdin_rank, ranks - 1));
    }
}

/// One Place for each rank of the job, program by program, still without units.
std::vector<Place> count_ranks(const Options& options, const Topology& topology)
{
    std::vector<Place> places;
    long long total = 0;
    std::vector<int> counts;
    for (const AppContext& app : options.apps) {
        counts.push_back(app.ranks > 0 ? app.ranks : slots_of_hosts(options, topology));
        total += counts.back();
    }
    check_total(options, total);
    for (std::size_t app = 0; app < counts.size(); ++app) {
        places.insert(places.end(), static_cast<std::size_t>(counts[app]),
                      {static_cast<int>(app), {}, false});
    }
    return places;
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
    if (ranks == 1) {
        return false;
    }
    std::vector<std::optional<int>> threads;
    for (const AppContext& app : options.apps) {
        threads.push_back(threads_per_rank(app));
    }
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
    if (demand > available) {
        return false;
    }
    const bool told_threads =
        std::ranges::any_of(threads, [](const auto& count) { return count.has_value(); });
    if (!told_threads && !by_hwthread && options.map_by != MapBy::core) {
        // The largest share that all can get; less than available / ranks when groups leave remainders.
        for (int share = available / ranks; share > 1; --share) {
            if (place_exclusively(places, deck, std::vector<int>(places.size(), share))) {
                return true;
            }
        }
    }
    return place_exclusively(places, deck, widths);
}

/// Numbers the ranks: the order of `places` becomes the order of ranks.
void rank_places(std::vector<Place>& places, const std::vector<Unit>& units, RankBy rank_by)
{
    const auto object = [&](const Place& place) {
        const Unit& unit = units[static_cast<std::size_t>(place.units.front())];
        switch (rank_by) {
            case RankBy::core:
                return unit.core;
            case RankBy::socket:
                return unit.package;
            case RankBy::numa:
                return unit.numa;
            case RankBy::slot:
            case RankBy::node:
                break;
        }
        return 0;
    };
    // The k-th rank of an object comes in round k; within a round objects follow in their order.
    std::map<std::pair<int, int>, int> seen;
    std::vector<std::tuple<int, int, int, std::size_t>> keys;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const int home = object(places[i]);
        keys.emplace_back(places[i].app, seen[{places[i].app, home}]++, home, i);
    }
    std::ranges::sort(keys);
    std::vector<Place> ranked;
    for (const auto& key : keys) {
        ranked.push_back(std::move(places[std::get<3>(key)]));
    }
    places = std::move(ranked);
}

}  // namespace

JobMap map_job(const Options& options, const Topology& topology)
{
    std::vector<Place> places = count_ranks(options, topology);
    const std::vector<Unit> units = make_units(topology, options.map_by);
    const Deck deck = make_deck(units, options.map_by);

    if (options.binding != Binding::automatic || !place_automatically(options, topology, deck, places)) {
        const std::vector<int> dealt = deal_in_turns(deck, static_cast<int>(places.size()));
        for (std::size_t i = 0; i < places.size(); ++i) {
            places[i].units = {dealt[i]};
        }
    }
    rank_places(places, units, options.rank_by);

    JobMap map{{{local_host_name()}}, {}};
    Binder binder(topology, units, options.binding);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const int rank = static_cast<int>(i);
        std::vector<int> cpus = binder.cpus(places[i].units, places[i].exclusive);
        std::string text = format_cpu_list(cpus);
        map.ranks.push_back({rank, places[i].app, 0, rank, std::move(cpus), std::move(text)});
    }
    return map;
}

bool ranks_share_cores(const JobMap& map, const Topology& topology)
{
    if (static_cast<double>(map.ranks.size()) > topology.usable_cores()) {
        return true;
    }
    // Fewer ranks than cores share only where the binding puts more of them on some cores than there are.
    std::map<std::vector<int>, std::size_t> ranks_on;
    for (const Placement& placement : map.ranks) {
        ++ranks_on[placement.cpus];
    }
    return std::ranges::any_of(ranks_on, [&](const auto& entry) {
        const auto cores = std::ranges::count_if(topology.cores(), [&](const Core& core) {
            return std::ranges::any_of(core.cpus,
                                       [&](int cpu) { return std::ranges::binary_search(entry.first, cpu); });
        });
        return !entry.first.empty() && entry.second > static_cast<std::size_t>(cores);
    });
}

}  // namespace tutti::launcher
