#include "launcher/pmix_job_info.hpp"

#include <pmix_server.h>

#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tutti::launcher {

namespace {

int ranks_of_app(const LaunchOrder& order, int app)
{
    int count = 0;
    for (const Placement& placement : order.ranks) {
        count += placement.app == app ? 1 : 0;
    }
    return count;
}

PmixInfoList describe_rank(const LaunchOrder& order, const Placement& placement, int app_rank)
{
    PmixInfoList list;
    list.add_rank(PMIX_RANK, placement.rank);  // first: what follows is about this rank
    list.add(PMIX_HOSTNAME, order.host);
    list.add_u32(PMIX_NODEID, 0);
    list.add_u16(PMIX_LOCAL_RANK, static_cast<std::uint16_t>(placement.local_rank));
    list.add_u16(PMIX_NODE_RANK, static_cast<std::uint16_t>(placement.local_rank));
    list.add_u32(PMIX_APPNUM, static_cast<std::uint32_t>(placement.app));
    list.add_rank(PMIX_GLOBAL_RANK, placement.rank);
    list.add_rank(PMIX_APP_RANK, app_rank);
    list.add_u32(PMIX_REINCARNATION, 0);
    if (!placement.cpus_as_text.empty()) {
        list.add(PMIX_CPUSET, "hwloc:" + placement.cpus_as_text);
    }
    return list;
}

}  // namespace

PmixInfoList describe_job(const LaunchOrder& order, const std::string& session_directory)
{
    const auto size = static_cast<std::uint32_t>(order.ranks.size());
    std::vector<int> all;
    for (const Placement& placement : order.ranks) {
        all.push_back(placement.rank);
    }
    const std::string peers = fmt::format("{}", fmt::join(all, ","));
    char* nodes = nullptr;
    char* ranks = nullptr;
    PMIx_generate_regex(order.host.c_str(), &nodes);
    PMIx_generate_ppn(peers.c_str(), &ranks);

    PmixInfoList list;
    list.add(PMIX_JOBID, order.job_name);
    list.add_u32(PMIX_UNIV_SIZE, size);
    list.add_u32(PMIX_JOB_SIZE, size);
    list.add_u32(PMIX_MAX_PROCS, size);
    list.add_u32(PMIX_JOB_NUM_APPS, static_cast<std::uint32_t>(order.apps.size()));
    list.add_u32(PMIX_NUM_NODES, 1);
    list.add_regex(PMIX_NODE_MAP, nodes);
    list.add_regex(PMIX_PROC_MAP, ranks);
    std::free(nodes);
    std::free(ranks);
    list.add(PMIX_NSDIR, session_directory);
    list.add(PMIX_TMPDIR, session_directory);
    list.add_flag(PMIX_TDIR_RMCLEAN, true);
    list.add_u32(PMIX_LOCAL_SIZE, size);
    list.add_u32(PMIX_NODE_SIZE, size);
    list.add(PMIX_LOCAL_PEERS, peers);
    list.add_rank(PMIX_LOCALLDR, 0);
    if (order.apps.size() == 1) {
        list.add_u32(PMIX_APP_SIZE, size);
    }

    PmixInfoList node;
    node.add(PMIX_HOSTNAME, order.host);
    node.add_u32(PMIX_NODEID, 0);
    node.add_u32(PMIX_NODE_SIZE, size);
    node.add_u32(PMIX_LOCAL_SIZE, size);
    node.add(PMIX_LOCAL_PEERS, peers);
    list.add_array(PMIX_NODE_INFO_ARRAY, node);

    for (int app = 0; app < static_cast<int>(order.apps.size()); ++app) {
        PmixInfoList entry;
        entry.add_u32(PMIX_APPNUM, static_cast<std::uint32_t>(app));
        entry.add_u32(PMIX_APP_SIZE, static_cast<std::uint32_t>(ranks_of_app(order, app)));
        list.add_array(PMIX_APP_INFO_ARRAY, entry);
    }

    std::vector<int> next_in_app(order.apps.size(), 0);
    for (const Placement& placement : order.ranks) {
        const int app_rank = next_in_app[static_cast<std::size_t>(placement.app)]++;
        list.add_array(PMIX_PROC_DATA, describe_rank(order, placement, app_rank));
    }
    return list;
}

}  // namespace tutti::launcher
