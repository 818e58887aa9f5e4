#include "launcher/placement/mapping.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launcher/base/host_names.hpp"

namespace tutti::launcher {
namespace {

bool contains(const std::vector<int>& cpus, int cpu)
{
    return std::ranges::find(cpus, cpu) != cpus.end();
}

/// Numbers of the cores of which at least one hardware thread is in `cpus`.
std::vector<int> cores_touched(const std::vector<int>& cpus, const MachineTopology& topology)
{
    std::vector<int> result;
    for (const Core& core : topology.cores())
        if (std::ranges::any_of(core.cpus, [&](int cpu) { return contains(cpus, cpu); }))
            result.push_back(core.number);
    return result;
}

/// "[BB/..][../..]". Cores that may not be used are not in the topology, and not in the picture.
std::string picture(const std::vector<int>& cpus, const MachineTopology& topology)
{
    std::vector<std::string> packages(static_cast<std::size_t>(topology.package_count()));
    for (const Core& core : topology.cores()) {
        std::string& text = packages[static_cast<std::size_t>(core.package)];
        text += text.empty() ? "" : "/";
        for (const int cpu : core.cpus)
            text += contains(cpus, cpu) ? 'B' : '.';
    }
    return fmt::format("[{}]", fmt::join(packages, "]["));
}

/// Hosts whose ranks are placed alike: those of the first are shown, the others named.
struct Alike {
    std::size_t node = 0;
    std::vector<std::string> others;
    std::vector<int> ranks;  // of the others
};

using NodeRanks = std::vector<std::vector<const RankPlacement*>>;

NodeRanks ranks_of_nodes(const JobMap& map)
{
    NodeRanks ranks(map.nodes.size());
    for (const RankPlacement& placement : map.ranks)
        ranks[static_cast<std::size_t>(placement.node)].push_back(&placement);
    return ranks;
}

/// In the order of their first hosts. `what`: what is shown of a host, but for its name and its ranks'
/// numbers.
template <class What>
std::vector<Alike> alike_hosts(const JobMap& map, const NodeRanks& ranks, bool in_full, What what)
{
    std::vector<Alike> all;
    std::map<std::string, std::size_t> places;
    for (std::size_t node = 0; node < map.nodes.size(); ++node) {
        const auto [place, is_new] =
            in_full ? std::pair(places.end(), true) : places.try_emplace(what(node), all.size());
        if (is_new) {
            all.push_back({node, {}, {}});
            continue;
        }
        Alike& alike = all[place->second];
        alike.others.push_back(map.nodes[node].name);
        for (const RankPlacement* placement : ranks[node])
            alike.ranks.push_back(placement->rank);
    }
    return all;
}

std::string binding_of(const RankPlacement& placement, const MachineTopology& topology)
{
    if (placement.cpus.empty())
        return fmt::format("not bound (cpus {})\n", format_cpu_list(topology.cpus()));
    const std::vector<int> cores = cores_touched(placement.cpus, topology);
    return fmt::format("bound to {} {} (cpus {}): {}\n", cores.size() == 1 ? "core" : "cores",
                       format_cpu_list(cores), format_cpu_list(placement.cpus),
                       picture(placement.cpus, topology));
}

/// `number`: whether each rank has its number.
std::string programs_of(const JobOptions& options, const std::vector<const RankPlacement*>& ranks,
                        bool number)
{
    std::string text;
    int app = -1;
    // The ranks of a program follow each other.
    for (const RankPlacement* placement : ranks) {
        if (std::exchange(app, placement->app) != placement->app) {
            const std::vector<std::string>& argv = options.apps[static_cast<std::size_t>(app)].argv;
            text += fmt::format("  program {}: {}\n", app, fmt::join(argv, " "));
        }
        text +=
            fmt::format("    rank {}: {}\n", number ? placement->rank : 0,
                        placement->cpus.empty() ? "not bound" : "cpus " + format_cpu_list(placement->cpus));
    }
    return text;
}

bool is_shown_in_full(const JobOptions& options, const JobMap& map)
{
    return options.verbosity > 0 || map.nodes.size() <= kHostsInFull;
}

}  // namespace

std::string describe_bindings(const JobOptions& options, const JobMap& map,
                              std::span<const MachineTopology> topologies)
{
    const NodeRanks ranks = ranks_of_nodes(map);
    const std::vector<Alike> hosts =
        alike_hosts(map, ranks, is_shown_in_full(options, map), [&](std::size_t node) {
            std::string text;
            for (const RankPlacement* placement : ranks[node])
                text += binding_of(*placement, topologies[node]);
            return text;
        });
    std::vector<bool> is_first(map.nodes.size());
    for (const Alike& alike : hosts)
        is_first[alike.node] = true;
    std::string text;
    for (const RankPlacement& placement : map.ranks) {
        const auto node = static_cast<std::size_t>(placement.node);
        if (is_first[node])
            text += fmt::format("rank {} on {} {}", placement.rank, map.nodes[node].name,
                                binding_of(placement, topologies[node]));
    }
    for (const Alike& alike : hosts)
        if (!alike.ranks.empty())
            text += fmt::format("ranks {} on {}: alike, as on {}\n", format_cpu_list(alike.ranks),
                                hosts_in_words(alike.others), map.nodes[alike.node].name);
    return text;
}

std::string describe_map(const JobOptions& options, const JobMap& map)
{
    const NodeRanks ranks = ranks_of_nodes(map);
    const auto count = [](std::size_t number) {
        return fmt::format("{} rank{}", number, number == 1 ? "" : "s");
    };
    std::string text;
    for (const Alike& alike : alike_hosts(map, ranks, is_shown_in_full(options, map), [&](std::size_t node) {
             return programs_of(options, ranks[node], false);
         })) {
        text += fmt::format("host {}: {}\n{}", map.nodes[alike.node].name, count(ranks[alike.node].size()),
                            programs_of(options, ranks[alike.node], true));
        if (alike.ranks.empty() && !alike.others.empty())
            text += fmt::format("hosts {}: alike\n", hosts_in_words(alike.others));
        else if (!alike.others.empty())
            text += fmt::format("hosts {}: alike, with ranks {}\n", hosts_in_words(alike.others),
                                format_cpu_list(alike.ranks));
    }
    return text;
}

}  // namespace tutti::launcher
