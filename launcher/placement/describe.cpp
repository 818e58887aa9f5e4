#include "launcher/placement/mapping.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tutti::launcher {
namespace {

bool contains(const std::vector<int>& cpus, int cpu)
{
    return std::ranges::find(cpus, cpu) != cpus.end();
}

/// Cores, by their index in the topology, of which at least one hardware thread is in `cpus`.
std::vector<int> cores_touched(const std::vector<int>& cpus, const Topology& topology)
{
    std::vector<int> result;
    for (int index = 0; index < topology.core_count(); ++index) {
        const Core& core = topology.cores()[static_cast<std::size_t>(index)];
        if (std::ranges::any_of(core.cpus, [&](int cpu) { return contains(cpus, cpu); }))
            result.push_back(index);
    }
    return result;
}

/// "[BB/..][../..]". Cores that may not be used are not in the topology, and not in the picture.
std::string picture(const std::vector<int>& cpus, const Topology& topology)
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

}  // namespace

std::string describe_bindings(const JobMap& map, std::span<const Topology> topologies)
{
    std::string text;
    for (const Placement& placement : map.ranks) {
        const auto node = static_cast<std::size_t>(placement.node);
        const Topology& topology = topologies[node];
        text += fmt::format("rank {} on {} ", placement.rank, map.nodes[node].name);
        if (placement.cpus.empty()) {
            text += fmt::format("not bound (cpus {})\n", format_cpu_list(topology.cpus()));
            continue;
        }
        const std::vector<int> cores = cores_touched(placement.cpus, topology);
        text += fmt::format("bound to {} {} (cpus {}): {}\n", cores.size() == 1 ? "core" : "cores",
                            format_cpu_list(cores), format_cpu_list(placement.cpus),
                            picture(placement.cpus, topology));
    }
    return text;
}

std::string describe_map(const Options& options, const JobMap& map)
{
    std::string text;
    for (std::size_t node = 0; node < map.nodes.size(); ++node) {
        // The ranks of a program follow each other.
        std::string programs;
        int app = -1;
        int ranks = 0;
        for (const Placement& placement : map.ranks) {
            if (static_cast<std::size_t>(placement.node) != node)
                continue;
            if (std::exchange(app, placement.app) != placement.app) {
                const std::vector<std::string>& argv = options.apps[static_cast<std::size_t>(app)].argv;
                programs += fmt::format("  program {}: {}\n", app, fmt::join(argv, " "));
            }
            programs +=
                fmt::format("    rank {}: {}\n", placement.rank,
                            placement.cpus.empty() ? "not bound" : "cpus " + format_cpu_list(placement.cpus));
            ++ranks;
        }
        text += fmt::format("host {}: {} rank{}\n{}", map.nodes[node].name, ranks, ranks == 1 ? "" : "s",
                            programs);
    }
    return text;
}

}  // namespace tutti::launcher
