#include "launcher/hosts/hosts.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "launcher/base/host_names.hpp"
#include "launcher/base/option_values.hpp"
#include "launcher/hosts/allocation.hpp"
#include "launcher/hosts/rankfile.hpp"
#include "lib/foundation/network/host_list.hpp"

namespace tutti::launcher {
namespace {

bool started_by_srun(const JobOptions& options)
{
    if (options.launcher)
        return *options.launcher == StartMethod::Agent::srun;
    return options.launch_agent.empty() && slurm_allocation().has_value();
}

/// Looks the hosts up in the allocation: only its hosts may be used, and Slurm knows their slots.
void restrict_to_allocation(std::vector<Host>& hosts, const std::vector<Host>& allocation)
{
    std::vector<std::string> names;
    for (const Host& granted : allocation)
        names.push_back(granted.name);
    for (Host& host : hosts) {
        if (!network::is_host_name(host.name))
            continue;  // "+n1"
        const auto found = std::ranges::find_if(allocation, [&](const Host& granted) {
            return granted.name == host.name || host.name.starts_with(granted.name + ".") ||
                   (is_this_host(host.name) && is_this_slurm_node(granted.name));
        });
        if (found == allocation.end()) {
            throw UsageError(
                fmt::format("host '{}' is not in the Slurm allocation, which has {}; ask for it with "
                            "salloc or sbatch, or start daemons by ssh: --launcher ssh",
                            host.name, hosts_in_words(names)));
        }
        host.name = found->name;
        host.slots = host.slots_given ? host.slots : found->slots;
    }
}

/// Finds names of this machine that only the resolver knows; they stay as they are, for output. After one
/// slow answer only names like this machine's own are looked up: ssh looks up the others, all at once.
void find_other_names(std::vector<Host>& hosts)
{
    constexpr std::chrono::milliseconds kSlow(500);
    std::map<std::string, bool> asked;  // and whether it is this machine
    bool slow = false;
    for (Host& host : hosts) {
        if (host.local || !host.user.empty() || !network::is_host_name(host.name))
            continue;
        const auto known = asked.find(host.name);
        if (known != asked.end()) {
            host.local = known->second;
        } else if (!slow || is_like_this_host(host.name)) {
            const auto start = std::chrono::steady_clock::now();
            host.local = resolves_to_this_host(host.name);
            slow = slow || std::chrono::steady_clock::now() - start > kSlow;
            asked.emplace(host.name, host.local);
        }
    }
}

/// Finds out which hosts are this machine.
void find_this_host(std::vector<Host>& hosts, bool by_srun)
{
    for (Host& host : hosts) {
        // A user's name asks for ssh, also to this machine.
        host.local = host.user.empty() && (by_srun ? is_this_slurm_node(host.name) : is_this_host(host.name));
        if (host.local && !by_srun)
            host.name = local_host_name();
    }
    if (!by_srun)
        find_other_names(hosts);
}

/// Whether the job needs a host that nobody has named: the lines of a rankfile may all name theirs.
bool needs_a_host(const JobOptions& options)
{
    return options.rankfile.empty() || std::ranges::any_of(options.rankfile, [](const Host& line) {
               return relative_host(line.listed.front().where, line.name) >= 0;
           });
}

/// One entry for each host. Slots add up. A host with one entry without a number has as many slots as
/// cores.
std::vector<Host> merge(const std::vector<Host>& hosts)
{
    std::vector<Host> merged;
    for (const Host& host : hosts) {
        const auto same = std::ranges::find_if(merged, [&](const Host& other) {
            return other.name == host.name || (other.local && host.local);
        });
        if (same == merged.end()) {
            merged.push_back(host);
            continue;
        }
        if (same->user != host.user) {
            throw UsageError(fmt::format("host '{}' is named twice, with different users ('{}' and '{}')",
                                         host.name, same->user, host.user));
        }
        same->slots = same->slots == 0 || host.slots == 0 ? 0 : same->slots + host.slots;
        same->max_slots = same->max_slots == 0 || host.max_slots == 0 ? 0 : same->max_slots + host.max_slots;
        same->listed.insert(same->listed.end(), host.listed.begin(), host.listed.end());
    }
    return merged;
}

/// How many of the hosts, from the first on, can get a rank. A host without a number has at least one slot.
std::size_t hosts_needed(const JobOptions& options, const std::vector<Host>& hosts)
{
    long long ranks = 0;
    for (const AppContext& app : options.apps) {
        if (app.ranks == 0)
            return hosts.size();
        ranks += app.ranks;
    }
    std::size_t needed = 0;
    if (std::ranges::any_of(hosts, [](const Host& host) { return !host.listed.empty(); })) {
        for (std::size_t i = 0; i < hosts.size(); ++i)
            if (std::ranges::any_of(hosts[i].listed,
                                    [ranks](const ListedRank& listed) { return listed.rank < ranks; }))
                needed = i + 1;
        return std::max<std::size_t>(needed, 1);
    }
    for (; needed < hosts.size() && ranks > 0; ++needed) {
        const int slots = options.map_by == MachineLevel::node ? 1
                          : options.ranks_per.ranks > 0        ? options.ranks_per.ranks
                                                               : std::max(1, hosts[needed].slots);
        ranks -= slots;
    }
    return std::max<std::size_t>(needed, 1);
}

std::string own_path()
{
    std::error_code error;
    const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) {
        throw std::system_error(
            error,
            "cannot find tuttirun's own path in /proc; mount that, or name Tutti's folder by "
            "--prefix");
    }
    return path;
}

}  // namespace

JobHosts job_hosts(const JobOptions& options)
{
    std::vector<Host> hosts = options.hosts;
    std::vector<std::string> agent;
    const std::optional<std::vector<Host>> allocation = slurm_allocation();
    const bool by_srun = started_by_srun(options);
    const bool nobody_says = hosts.empty() || options.hosts_by_file;
    if (nobody_says && allocation) {
        hosts = *allocation;
    } else if (auto other = nobody_says ? other_allocation() : std::nullopt) {
        hosts = std::move(other->hosts);
        agent = std::move(other->agent);
    } else if (hosts.empty() && needs_a_host(options)) {
        hosts.push_back({local_host_name()});
    } else if (by_srun && allocation) {
        restrict_to_allocation(hosts, *allocation);
    }
    if (options.map_by == MachineLevel::seq)
        for (std::size_t i = 0; i < hosts.size(); ++i)
            hosts[i].listed.push_back({static_cast<int>(i)});
    find_this_host(hosts, by_srun);
    const bool only_these = !hosts.empty();
    hosts = merge(hosts);
    std::vector<Host> rankfile = options.rankfile;
    if (by_srun && allocation)
        restrict_to_allocation(rankfile, *allocation);
    find_this_host(rankfile, by_srun);
    list_ranks(hosts, rankfile, only_these);
    if (!options.apps.empty())
        hosts.resize(hosts_needed(options, hosts));
    return {std::move(hosts), std::move(agent)};
}

StartMethod start_method(const JobOptions& options, std::vector<std::string> agent)
{
    StartMethod method;
    if (started_by_srun(options)) {
        if (!slurm_allocation()) {
            throw UsageError(
                "--launcher slurm works only inside a Slurm allocation (SLURM_JOB_ID and "
                "SLURM_JOB_NODELIST are not set); start tuttirun with salloc or sbatch");
        }
        method.kind = StartMethod::Agent::srun;
        method.agent = {"srun"};
    } else if (!options.launch_agent.empty()) {
        method.agent = options.launch_agent;
    } else if (!options.launcher && !agent.empty()) {
        method.agent = std::move(agent);
    }
    if (method.kind != StartMethod::Agent::srun)
        method.agent.insert(method.agent.end(), options.agent_arguments.begin(), options.agent_arguments.end());
    method.program = options.prefix.empty() ? own_path() : options.prefix + "/bin/tuttirun";
    method.timeout_seconds = options.start_timeout_seconds;
    return method;
}

// The hosts are in the tree like the elements of a heap below the head, with kTreeRadix children each.
int starter_of(int index)
{
    return index < kTreeRadix ? -1 : index / kTreeRadix - 1;
}

std::pair<int, int> started_by(int index, int count)
{
    const int first = kTreeRadix * (index + 1);
    return {std::min(first, count), std::min(first + kTreeRadix, count)};
}

}  // namespace tutti::launcher
