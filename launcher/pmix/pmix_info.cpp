#include "launcher/pmix/pmix_info.hpp"

#include <pmix.h>
#include <pmix_server.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launcher/job/job_messages.hpp"

namespace tutti::launcher {

PmixInfoList::~PmixInfoList()
{
    for (std::size_t i = 0; i < infos_.size(); ++i)
        if (i != borrowed_)
            PMIX_INFO_DESTRUCT(&infos_[i]);
}

void PmixInfoList::load(const char* key, const void* value, pmix_data_type_t type)
{
    infos_.emplace_back();
    if (PMIx_Info_load(&infos_.back(), key, value, type) != PMIX_SUCCESS)
        throw std::bad_alloc();
}

void PmixInfoList::add_rank(const char* key, int rank)
{
    const auto number = static_cast<pmix_rank_t>(rank);
    load(key, &number, PMIX_PROC_RANK);
}

void PmixInfoList::add_topology(pmix_topology_t* topology)
{
    borrowed_ = infos_.size();
    pmix_info_t& info = infos_.emplace_back();
    PMIX_LOAD_KEY(info.key, PMIX_TOPOLOGY2);
    info.value.type = PMIX_TOPO;
    info.value.data.topo = topology;
}

void PmixInfoList::add_array(const char* key, const PmixInfoList& list)
{
    pmix_data_array_t array{};
    array.type = PMIX_INFO;
    array.size = list.infos_.size();
    array.array = const_cast<pmix_info_t*>(list.infos_.data());  // load() copies it
    load(key, &array, PMIX_DATA_ARRAY);
}

namespace {

/// The numbers of the ranks of each node.
std::vector<std::vector<int>> group_by_node(const LaunchOrder& order)
{
    std::vector<std::vector<int>> ranks(order.nodes.size());
    for (const RankPlacement& placement : order.ranks)
        ranks[static_cast<std::size_t>(placement.node)].push_back(placement.rank);
    return ranks;
}

int ranks_of_app(const LaunchOrder& order, int app)
{
    int count = 0;
    for (const RankPlacement& placement : order.ranks)
        count += placement.app == app ? 1 : 0;
    return count;
}

/// libpmix 4.2 compresses a name by putting its first letters into an array of 50, without a look at their
/// number, and the digits behind them into an int. Names of pods and of hosts in clouds may have more of
/// both.
bool is_compressible(std::string_view name)
{
    constexpr std::size_t kMostLetters = 49;
    constexpr std::size_t kMostDigits = 9;
    constexpr std::string_view kDigits = "0123456789";
    const std::size_t letters = std::min(name.find_first_of(kDigits), name.size());
    const std::size_t digits = std::min(name.find_first_not_of(kDigits, letters), name.size()) - letters;
    return letters <= kMostLetters && digits <= kMostDigits;
}

/// The nodes with ranks, and their ranks, in PMIx's compressed form, or in its plain one.
void add_maps(PmixInfoList& list, const LaunchOrder& order, const std::vector<std::vector<int>>& ranks_of)
{
    std::string names;
    std::string lists;
    bool compressible = true;
    for (std::size_t node = 0; node < ranks_of.size(); ++node) {
        if (ranks_of[node].empty())
            continue;
        compressible = compressible && is_compressible(order.nodes[node].name);
        names += (names.empty() ? "" : ",") + order.nodes[node].name;
        lists += fmt::format("{}{}", lists.empty() ? "" : ";", fmt::join(ranks_of[node], ","));
    }
    char* nodes = nullptr;
    char* ranks = nullptr;
    if (compressible)
        PMIx_generate_regex(names.c_str(), &nodes);
    PMIx_generate_ppn(lists.c_str(), &ranks);
    list.add_regex(PMIX_NODE_MAP, compressible ? nodes : ("raw:" + names).c_str());
    list.add_regex(PMIX_PROC_MAP, ranks);
    std::free(nodes);
    std::free(ranks);
}

PmixInfoList describe_node(const LaunchOrder& order, std::size_t node, const std::vector<int>& ranks)
{
    const std::size_t size = ranks.size();
    PmixInfoList list;
    list.add(PMIX_HOSTNAME, order.nodes[node].name);
    list.add_u32(PMIX_NODEID, node);
    list.add_u32(PMIX_NODE_SIZE, size);
    list.add_u32(PMIX_LOCAL_SIZE, size);
    list.add(PMIX_LOCAL_PEERS, fmt::format("{}", fmt::join(ranks, ",")));
    list.add_rank(PMIX_LOCALLDR, ranks.front());
    return list;
}

PmixInfoList describe_rank(const LaunchOrder& order, const RankPlacement& placement, int app_rank)
{
    PmixInfoList list;
    list.add_rank(PMIX_RANK, placement.rank);  // first: what follows is about this rank
    list.add(PMIX_HOSTNAME, order.nodes[static_cast<std::size_t>(placement.node)].name);
    list.add_u32(PMIX_NODEID, placement.node);
    list.add_u16(PMIX_LOCAL_RANK, placement.local_rank);
    list.add_u16(PMIX_NODE_RANK, placement.local_rank);
    list.add_u32(PMIX_APPNUM, placement.app);
    list.add_rank(PMIX_GLOBAL_RANK, placement.rank);
    list.add_rank(PMIX_APP_RANK, app_rank);
    list.add_u32(PMIX_REINCARNATION, 0);
    if (!placement.cpus.empty())
        list.add(PMIX_CPUSET, "hwloc:" + format_cpu_list(placement.cpus));
    return list;
}

}  // namespace

PmixInfoList describe_job(const LaunchOrder& order, int node, const std::string& session_directory)
{
    const std::size_t size = order.ranks.size();
    const std::vector<std::vector<int>> ranks_of = group_by_node(order);
    const std::vector<int>& local = ranks_of[static_cast<std::size_t>(node)];

    PmixInfoList list;
    list.add(PMIX_JOBID, order.job_name);
    list.add_u32(PMIX_UNIV_SIZE, size);
    list.add_u32(PMIX_JOB_SIZE, size);
    list.add_u32(PMIX_MAX_PROCS, size);
    list.add_u32(PMIX_JOB_NUM_APPS, order.apps.size());
    const auto is_used = [](const std::vector<int>& ranks) { return !ranks.empty(); };
    list.add_u32(PMIX_NUM_NODES, std::ranges::count_if(ranks_of, is_used));
    add_maps(list, order, ranks_of);
    list.add(PMIX_NSDIR, session_directory);
    list.add(PMIX_TMPDIR, session_directory);
    list.add_flag(PMIX_TDIR_RMCLEAN, true);
    list.add_u32(PMIX_LOCAL_SIZE, local.size());
    list.add_u32(PMIX_NODE_SIZE, local.size());
    list.add(PMIX_LOCAL_PEERS, fmt::format("{}", fmt::join(local, ",")));
    list.add_rank(PMIX_LOCALLDR, local.front());
    if (order.apps.size() == 1)
        list.add_u32(PMIX_APP_SIZE, size);

    for (std::size_t other = 0; other < ranks_of.size(); ++other)
        if (is_used(ranks_of[other]))
            list.add_array(PMIX_NODE_INFO_ARRAY, describe_node(order, other, ranks_of[other]));
    for (int app = 0; app < static_cast<int>(order.apps.size()); ++app) {
        PmixInfoList entry;
        entry.add_u32(PMIX_APPNUM, app);
        entry.add_u32(PMIX_APP_SIZE, ranks_of_app(order, app));
        list.add_array(PMIX_APP_INFO_ARRAY, entry);
    }
    std::vector<int> next_in_app(order.apps.size(), 0);
    for (const RankPlacement& placement : order.ranks) {
        const int app_rank = next_in_app[static_cast<std::size_t>(placement.app)]++;
        list.add_array(PMIX_PROC_DATA, describe_rank(order, placement, app_rank));
    }
    return list;
}

}  // namespace tutti::launcher
