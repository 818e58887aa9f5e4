#include "launcher/placement/mapping.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <ranges>
#include <string_view>

#include <fmt/format.h>

#include "launcher/base/option_values.hpp"

namespace tutti::launcher {
namespace {

class NodeMapper {
public:
    NodeMapper(const JobOptions& options, std::span<const Host> hosts, std::span<const int> objects)
        : options_(options), hosts_(hosts), used_(hosts.size(), 0), of_app_(hosts.size(), 0)
    {
        for (std::size_t node = 0; node < hosts.size(); ++node)
            most_.push_back(options.ranks_per.ranks * (objects.empty() ? 1 : objects[node]));
    }

    /// Nodes of `ranks` ranks of one program, in the order of mapping; fewer when there is no more room.
    std::vector<int> map(int ranks)
    {
        std::ranges::fill(of_app_, 0);
        std::vector<int> nodes;
        while (static_cast<int>(nodes.size()) < ranks) {
            const int node = next_node();
            if (node < 0)
                break;
            ++used_[static_cast<std::size_t>(node)];
            ++of_app_[static_cast<std::size_t>(node)];
            nodes.push_back(node);
            if (options_.map_by == MachineLevel::node)
                turn_ = (static_cast<std::size_t>(node) + 1) % hosts_.size();
        }
        if (options_.map_by != MachineLevel::node)
            std::ranges::sort(nodes);  // a later round comes back to the first nodes
        return nodes;
    }

    /// Ranks that a program without -n gets.
    int all_slots() const
    {
        long long slots = 0;
        for (std::size_t node = 0; node < hosts_.size(); ++node) {
            const int wanted = options_.ranks_per.ranks > 0 ? most_[node] : hosts_[node].slots;
            slots += hosts_[node].max_slots > 0 ? std::min(wanted, hosts_[node].max_slots) : wanted;
        }
        return static_cast<int>(std::min<long long>(slots, kMaxRanks + 1LL));
    }

private:
    /// Whether the host may get one more rank at all.
    bool may_get_more(std::size_t node) const
    {
        const Host& host = hosts_[node];
        return (host.max_slots == 0 || used_[node] < host.max_slots) &&
               (options_.ranks_per.ranks == 0 || of_app_[node] < most_[node]);
    }

    /// Whether one of its slots is free in this round.
    bool has_free_slot(std::size_t node) const
    {
        return options_.ranks_per.ranks > 0 ||
               used_[node] < static_cast<long long>(rounds_) * hosts_[node].slots;
    }

    int next_node()
    {
        while (true) {
            bool room = false;
            for (std::size_t step = 0; step < hosts_.size(); ++step) {
                const std::size_t node = (turn_ + step) % hosts_.size();
                if (may_get_more(node) && has_free_slot(node))
                    return static_cast<int>(node);
                room = room || may_get_more(node);
            }
            if (!room)
                return -1;
            ++rounds_;
        }
    }

    const JobOptions& options_;
    std::span<const Host> hosts_;
    std::vector<int> most_;    // of each program, by JobOptions::ranks_per
    std::vector<int> used_;    // ranks on each host
    std::vector<int> of_app_;  // those of the program being mapped
    std::size_t turn_ = 0;     // --map-by node: who is next
    int rounds_ = 1;           // each host may have so many times its slots
};

void check_total(const JobOptions& options, long long ranks)
{
    if (ranks > kMaxRanks) {
        throw UsageError(
            fmt::format("{} ranks in all are more than the {} that a job may have", ranks, kMaxRanks));
    }
    if (options.stdin_target == StdinTarget::rank && options.stdin_rank >= ranks) {
        throw UsageError(fmt::format("--stdin {}: there is no such rank; this job's ranks are 0 to {}",
                                     options.stdin_rank, ranks - 1));
    }
}

[[noreturn]] void reject_too_many(const JobOptions& options, std::span<const Host> hosts,
                                  const AppContext& app, int wanted, std::size_t mapped)
{
    if (options.ranks_per.ranks > 0) {
        const std::string_view object = word_of(options.ranks_per.object);
        throw UsageError(
            fmt::format("{} ranks of '{}' are wanted, but {} on each {} of {} host{} are {}; ask for fewer "
                        "ranks, more on "
                        "each {}, or name more hosts",
                        wanted, app.argv.front(), options.ranks_per.ranks, object, hosts.size(),
                        hosts.size() == 1 ? "" : "s", mapped, object));
    }
    throw UsageError(
        fmt::format("{} ranks of '{}' are wanted, but the hostfile's max_slots allow {}; raise "
                    "max_slots or ask for fewer ranks",
                    wanted, app.argv.front(), mapped));
}

/// The nodes of listed ranks, in order of rank; empty where none is listed.
std::vector<int> listed_nodes(std::span<const Host> hosts)
{
    std::map<int, int> nodes;
    for (std::size_t node = 0; node < hosts.size(); ++node)
        for (const ListedRank& listed : hosts[node].listed)
            nodes.emplace(listed.rank, static_cast<int>(node));
    const auto in_order = std::views::values(nodes);
    return {in_order.begin(), in_order.end()};
}

}  // namespace

std::vector<MappedRank> map_to_nodes(const JobOptions& options, std::span<const Host> hosts,
                                     std::span<const int> objects)
{
    NodeMapper mapper(options, hosts, objects);
    const std::vector<int> listed = listed_nodes(hosts);
    std::vector<int> counts;
    long long total = 0;
    for (const AppContext& app : options.apps) {
        const int all = listed.empty() ? mapper.all_slots() : static_cast<int>(listed.size());
        counts.push_back(app.ranks > 0 ? app.ranks : all);
        total += counts.back();
    }
    check_total(options, total);
    if (!listed.empty() && total > static_cast<long long>(listed.size())) {
        throw UsageError(fmt::format(
            "{} ranks are wanted, but {} names the hosts of {}; ask for fewer ranks, or add lines", total,
            options.rankfile.empty() ? "the list of hosts for --map-by seq" : "the rankfile", listed.size()));
    }
    std::vector<MappedRank> mapped;
    for (std::size_t app = 0; app < counts.size(); ++app) {
        std::vector<int> nodes;
        if (listed.empty()) {
            nodes = mapper.map(counts[app]);
        } else {
            const auto first = listed.begin() + static_cast<std::ptrdiff_t>(mapped.size());
            nodes.assign(first, first + counts[app]);
        }
        if (static_cast<int>(nodes.size()) < counts[app])
            reject_too_many(options, hosts, options.apps[app], counts[app], nodes.size());
        for (const int node : nodes)
            mapped.push_back({static_cast<int>(app), node});
    }
    return mapped;
}

}  // namespace tutti::launcher
