#include "launcher/placement/mapping.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "launcher/base/values.hpp"

namespace tutti::launcher {
namespace {

class NodeMapper {
public:
    NodeMapper(const Options& options, std::span<const Host> hosts)
        : options_(options), hosts_(hosts), used_(hosts.size(), 0), of_app_(hosts.size(), 0)
    {
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
            if (options_.map_by == MapBy::node)
                turn_ = (static_cast<std::size_t>(node) + 1) % hosts_.size();
        }
        if (options_.map_by != MapBy::node)
            std::ranges::sort(nodes);  // a later round comes back to the first nodes
        return nodes;
    }

private:
    /// Whether the host may get one more rank at all.
    bool may_get_more(std::size_t node) const
    {
        const Host& host = hosts_[node];
        return (host.max_slots == 0 || used_[node] < host.max_slots) &&
               (options_.ranks_per_node == 0 || of_app_[node] < options_.ranks_per_node);
    }

    /// Whether one of its slots is free in this round.
    bool has_free_slot(std::size_t node) const
    {
        return options_.ranks_per_node > 0 ||
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

    const Options& options_;
    std::span<const Host> hosts_;
    std::vector<int> used_;    // ranks on each host
    std::vector<int> of_app_;  // those of the program being mapped
    std::size_t turn_ = 0;     // --map-by node: who is next
    int rounds_ = 1;           // each host may have so many times its slots
};

void check_total(const Options& options, long long ranks)
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

[[noreturn]] void reject_too_many(const Options& options, std::span<const Host> hosts, const AppContext& app,
                                  int wanted, std::size_t mapped)
{
    if (options.ranks_per_node > 0) {
        throw UsageError(
            fmt::format("{} ranks of '{}' are wanted, but {} on each of {} host{} are {}; ask for fewer "
                        "ranks, more on each "
                        "host, or name more hosts",
                        wanted, app.argv.front(), options.ranks_per_node, hosts.size(),
                        hosts.size() == 1 ? "" : "s", mapped));
    }
    throw UsageError(
        fmt::format("{} ranks of '{}' are wanted, but the hostfile's max_slots allow {}; raise "
                    "max_slots or ask for fewer ranks",
                    wanted, app.argv.front(), mapped));
}

/// Ranks that a program without -n gets.
int ranks_for_all_slots(const Options& options, std::span<const Host> hosts)
{
    long long slots = 0;
    for (const Host& host : hosts) {
        const int wanted = options.ranks_per_node > 0 ? options.ranks_per_node : host.slots;
        slots += host.max_slots > 0 ? std::min(wanted, host.max_slots) : wanted;
    }
    return static_cast<int>(std::min<long long>(slots, kMaxRanks + 1LL));
}

}  // namespace

std::vector<MappedRank> map_to_nodes(const Options& options, std::span<const Host> hosts)
{
    std::vector<int> counts;
    long long total = 0;
    for (const AppContext& app : options.apps) {
        counts.push_back(app.ranks > 0 ? app.ranks : ranks_for_all_slots(options, hosts));
        total += counts.back();
    }
    check_total(options, total);
    NodeMapper mapper(options, hosts);
    std::vector<MappedRank> mapped;
    for (std::size_t app = 0; app < counts.size(); ++app) {
        const std::vector<int> nodes = mapper.map(counts[app]);
        if (static_cast<int>(nodes.size()) < counts[app])
            reject_too_many(options, hosts, options.apps[app], counts[app], nodes.size());
        for (const int node : nodes)
            mapped.push_back({static_cast<int>(app), node});
    }
    return mapped;
}

}  // namespace tutti::launcher
