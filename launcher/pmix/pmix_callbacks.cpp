#include "launcher/pmix/pmix_server.hpp"

#include <pmix.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "launcher/job/job_messages.hpp"

namespace tutti::launcher {

namespace {

/// The state of the callbacks: libpmix does not pass a pointer to all of them.
struct Target {
    PmixReports* reports = nullptr;
    // Written before the ranks exist, and only read afterwards.
    std::string job_name;
    std::vector<bool> is_local;  // by rank
};
Target target;

// The callbacks run in libpmix's thread. They report to the daemon and return: a call into libpmix that
// waits would wait for ever. The rank goes on only after that, so the daemon knows of its calls before it
// sees it end.

void report_rank(FrameType type, pmix_rank_t rank)
{
    target.reports->send(type, encode(static_cast<int>(rank)));
}

pmix_status_t client_connected(const pmix_proc_t* proc, void*, pmix_info_t*, std::size_t, pmix_op_cbfunc_t,
                               void*)
{
    report_rank(FrameType::pmix_connected, proc->rank);
    return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t client_finalized(const pmix_proc_t* proc, void*, pmix_op_cbfunc_t, void*)
{
    report_rank(FrameType::pmix_finalized, proc->rank);
    return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t client_aborts(const pmix_proc_t* proc, void*, int status, const char* message, pmix_proc_t*,
                            std::size_t, pmix_op_cbfunc_t, void*)
{
    target.reports->send(
        FrameType::pmix_aborted,
        encode(static_cast<int>(proc->rank), status, std::string_view(message != nullptr ? message : "")));
    return PMIX_OPERATION_SUCCEEDED;
}

/// An answer for libpmix, which keeps the bytes until it calls the last argument.
PmixAnswer make_answer(pmix_modex_cbfunc_t done, void* done_data)
{
    return [done, done_data](int status, std::string data) {
        auto kept = std::make_unique<std::string>(std::move(data));
        const std::string& bytes = *kept;
        done(
            status, bytes.data(), bytes.size(), done_data,
            [](void* released) { delete static_cast<std::string*>(released); }, kept.release());
    };
}

/// The ranks of a fence in ascending order, each once; kAllRanks alone for the whole job.
std::vector<int> list_ranks(const pmix_proc_t* procs, std::size_t count)
{
    std::set<int> ranks;
    for (std::size_t i = 0; i < count; ++i) {
        if (procs[i].rank == PMIX_RANK_WILDCARD)
            return {kAllRanks};
        ranks.insert(static_cast<int>(procs[i].rank));
    }
    return ranks.size() == target.is_local.size() ? std::vector{kAllRanks}
                                                  : std::vector(ranks.begin(), ranks.end());
}

bool is_local(int rank)
{
    const std::vector<bool>& local = target.is_local;
    return rank == kAllRanks ? std::ranges::all_of(local, std::identity{})
                             : rank >= 0 && static_cast<std::size_t>(rank) < local.size() &&
                                   local[static_cast<std::size_t>(rank)];
}

/// Whether a rank of this node has died in a fence: the other nodes must know.
pmix_status_t status_among(const pmix_info_t* infos, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        if (PMIX_CHECK_KEY(&infos[i], PMIX_LOCAL_COLLECTIVE_STATUS))
            return infos[i].value.data.status;
    return PMIX_SUCCESS;
}

pmix_status_t fence(const pmix_proc_t* procs, std::size_t proc_count, const pmix_info_t* infos,
                    std::size_t info_count, char* data, std::size_t data_bytes, pmix_modex_cbfunc_t done,
                    void* done_data)
{
    const std::unique_ptr<char, decltype(&std::free)> owned(data, &std::free);
    for (std::size_t i = 0; i < proc_count; ++i)
        if (target.job_name != procs[i].nspace)
            return PMIX_ERR_NOT_SUPPORTED;  // no other job is connected to this one
    std::vector<int> ranks = list_ranks(procs, proc_count);
    const pmix_status_t status = status_among(infos, info_count);
    if (std::ranges::all_of(ranks, is_local)) {
        // All ranks have called libpmix, which has stored their values.
        return status == PMIX_SUCCESS ? PMIX_OPERATION_SUCCEEDED : status;
    }
    const std::uint64_t serial = target.reports->expect(make_answer(done, done_data));
    const FenceFrame fence{std::move(ranks), status,
                           data != nullptr ? std::string(data, data_bytes) : std::string()};
    target.reports->send(FrameType::pmix_fence, encode(serial, fence));
    return PMIX_SUCCESS;
}

/// The key that the rank asks for. An answer without it would mean that there is no such key.
std::string required_key(const pmix_info_t* infos, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        if (PMIX_CHECK_KEY(&infos[i], PMIX_REQUIRED_KEY) && infos[i].value.type == PMIX_STRING)
            return infos[i].value.data.string;
    return {};
}

pmix_status_t direct_modex(const pmix_proc_t* proc, const pmix_info_t* infos, std::size_t info_count,
                           pmix_modex_cbfunc_t done, void* done_data)
{
    const auto rank = static_cast<int>(proc->rank);
    const bool exists = target.job_name == proc->nspace && proc->rank < target.is_local.size();
    if (!exists || is_local(rank))
        return PMIX_ERR_NOT_FOUND;
    const std::string key = required_key(infos, info_count);
    const std::uint64_t serial = target.reports->expect(make_answer(done, done_data));
    target.reports->send(FrameType::pmix_get, encode(serial, rank, key));
    return PMIX_SUCCESS;
}

// Clients may register for events; libpmix itself delivers those that this server raises.
pmix_status_t register_events(pmix_status_t*, std::size_t, const pmix_info_t*, std::size_t, pmix_op_cbfunc_t,
                              void*)
{
    return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t deregister_events(pmix_status_t*, std::size_t, pmix_op_cbfunc_t, void*)
{
    return PMIX_OPERATION_SUCCEEDED;
}

pmix_server_module_t make_module()
{
    pmix_server_module_t module{};
    module.client_connected2 = client_connected;
    module.client_finalized = client_finalized;
    module.abort = client_aborts;
    module.fence_nb = fence;
    module.direct_modex = direct_modex;
    module.register_events = register_events;
    module.deregister_events = deregister_events;
    return module;
}

}  // namespace

pmix_server_module_t* pmix_module(PmixReports& reports)
{
    static pmix_server_module_t module = make_module();
    target.reports = &reports;
    return &module;
}

void set_pmix_job(const std::string& job_name, std::vector<bool> is_local)
{
    target.job_name = job_name;
    target.is_local = std::move(is_local);
}

}  // namespace tutti::launcher
