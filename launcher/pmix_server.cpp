#include "launcher/pmix_server.hpp"

#include <hwloc.h>
#include <pmix.h>
#include <pmix_server.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "launcher/pmix_info.hpp"
#include "launcher/pmix_job_info.hpp"

namespace tutti::launcher {

namespace {

/// Where PMIx keeps its keys: in plain memory and not in files that all ranks map. It starts in half the
/// time, and a rank that is killed cannot leave a lock behind. The user's own setting wins.
constexpr const char* kStore = "PMIX_MCA_gds";
constexpr const char* kStoreHash = "hash";

/// The job's key, for its ranks only: 64 hexadecimal digits.
constexpr const char* kKeyAttribute = "tutti.key";

/// Where the callbacks find their daemon: libpmix passes no pointer of ours to all of them.
struct Target {
    EventLoop* loop = nullptr;
    PmixObserver* observer = nullptr;
    // Written before the ranks exist, and only read afterwards.
    std::string job_name;
    std::vector<bool> is_local;  // by rank
};
Target target;

void check(pmix_status_t status, const char* what)
{
    if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED) {
        throw std::runtime_error(fmt::format("{}: {}", what, PMIx_Error_string(status)));
    }
}

// The callbacks run in libpmix's thread. They copy what they need, post it to the daemon's loop and return: a
// call back into libpmix that waits would wait for ever.

pmix_status_t client_connected(const pmix_proc_t* proc, void*, pmix_info_t*, std::size_t, pmix_op_cbfunc_t,
                               void*)
{
    target.loop->post([rank = static_cast<int>(proc->rank)] { target.observer->rank_connected(rank); });
    return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t client_finalized(const pmix_proc_t* proc, void*, pmix_op_cbfunc_t, void*)
{
    target.loop->post([rank = static_cast<int>(proc->rank)] { target.observer->rank_finalized(rank); });
    return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t client_aborts(const pmix_proc_t* proc, void*, int status, const char* message, pmix_proc_t*,
                            std::size_t, pmix_op_cbfunc_t done, void* done_data)
{
    // The client stays inside PMIx_Abort until `done`, so its message is known before its exit can be.
    target.loop->post([rank = static_cast<int>(proc->rank), status,
                       text = std::string(message != nullptr ? message : ""), done, done_data] {
        target.observer->rank_aborted(rank, status, text);
        if (done != nullptr) {
            done(PMIX_SUCCESS, done_data);
        }
    });
    return PMIX_SUCCESS;
}

/// For libpmix, which keeps the bytes until it calls the last argument.
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
        if (procs[i].rank == PMIX_RANK_WILDCARD) {
            return {kAllRanks};
        }
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

/// When a rank of this node dies in a fence of several nodes, the others would not hear of it.
pmix_status_t status_among(const pmix_info_t* infos, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        if (PMIX_CHECK_KEY(&infos[i], PMIX_LOCAL_COLLECTIVE_STATUS)) {
            return infos[i].value.data.status;
        }
    }
    return PMIX_SUCCESS;
}

pmix_status_t fence(const pmix_proc_t* procs, std::size_t proc_count, const pmix_info_t* infos,
                    std::size_t info_count, char* data, std::size_t data_bytes, pmix_modex_cbfunc_t done,
                    void* done_data)
{
    const std::unique_ptr<char, decltype(&std::free)> owned(data, &std::free);
    for (std::size_t i = 0; i < proc_count; ++i) {
        if (target.job_name != procs[i].nspace) {
            return PMIX_ERR_NOT_SUPPORTED;  // no other job is connected to this one
        }
    }
    std::vector<int> ranks = list_ranks(procs, proc_count);
    const pmix_status_t status = status_among(infos, info_count);
    if (std::ranges::all_of(ranks, is_local)) {
        // libpmix has heard all of them and stored what they published.
        return status == PMIX_SUCCESS ? PMIX_OPERATION_SUCCEEDED : status;
    }
    target.loop->post([ranks = std::move(ranks), status,
                       bytes = data != nullptr ? std::string(data, data_bytes) : std::string(),
                       answer = make_answer(done, done_data)] {
        target.observer->fence_reached(ranks, status, bytes, answer);
    });
    return PMIX_SUCCESS;
}

/// Without the key that is asked for, the answer would be taken for all there is.
std::string required_key(const pmix_info_t* infos, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        if (PMIX_CHECK_KEY(&infos[i], PMIX_REQUIRED_KEY) && infos[i].value.type == PMIX_STRING) {
            return infos[i].value.data.string;
        }
    }
    return {};
}

pmix_status_t direct_modex(const pmix_proc_t* proc, const pmix_info_t* infos, std::size_t info_count,
                           pmix_modex_cbfunc_t done, void* done_data)
{
    const auto rank = static_cast<int>(proc->rank);
    const bool exists = target.job_name == proc->nspace && proc->rank < target.is_local.size();
    if (!exists || is_local(rank)) {
        return PMIX_ERR_NOT_FOUND;
    }
    target.loop->post([rank, key = required_key(infos, info_count), answer = make_answer(done, done_data)] {
        target.observer->values_wanted(rank, key, answer);
    });
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

/// libpmix serves requests in the order of the calls, so that waiting for the last one waits for all.
class Completion {
public:
    void wait(const char* what) { check(status_.get_future().get(), what); }
    static void done(pmix_status_t status, void* self)
    {
        static_cast<Completion*>(self)->status_.set_value(status);
    }

private:
    std::promise<pmix_status_t> status_;
};

/// Keeps libpmix from looking at the machine, which takes longer than all else at start (it asks X servers
/// for their graphics cards, too), by giving it a machine of one processor. Nothing that this server offers
/// depends on it: ranks are bound by the head's map, and clients that want the topology look for themselves.
class PlaceholderTopology {
public:
    PlaceholderTopology()
    {
        const ScopedVariable no_plugins("HWLOC_PLUGINS_PATH", "/nonexistent");
        if (hwloc_topology_init(&topology_) != 0 || hwloc_topology_set_synthetic(topology_, "pu:1") != 0 ||
            hwloc_topology_load(topology_) != 0) {
            throw std::runtime_error("hwloc does not start");
        }
        description_.source = source_.data();
        description_.topology = topology_;
    }

    /// Valid as long as the process lives: libpmix keeps pointers into it.
    pmix_topology_t* get() noexcept { return &description_; }

private:
    /// For as long as this thread is the only one.
    class ScopedVariable {
    public:
        ScopedVariable(const char* name, const char* value) : name_(name)
        {
            if (const char* before = std::getenv(name)) {
                before_ = before;
            }
            ::setenv(name, value, 1);
        }
        ~ScopedVariable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
        ScopedVariable(const ScopedVariable&) = delete;
        ScopedVariable& operator=(const ScopedVariable&) = delete;

    private:
        const char* name_;
        std::optional<std::string> before_;
    };

    hwloc_topology_t topology_ = nullptr;
    std::string source_ = "hwloc:" + std::to_string(HWLOC_API_VERSION);
    pmix_topology_t description_{};
};

}  // namespace

PmixServer::PmixServer(EventLoop& loop, PmixObserver& observer, const std::string& session_directory)
    : session_directory_(session_directory)
{
    target = {&loop, &observer, {}, {}};
    if (std::getenv(kStore) == nullptr) {
        ::setenv(kStore, kStoreHash, 1);
    }
    PmixInfoList infos;
    infos.add(PMIX_SERVER_NSPACE, "tuttirun-daemon");
    infos.add_rank(PMIX_SERVER_RANK, 0);
    infos.add(PMIX_SERVER_TMPDIR, session_directory);
    infos.add(PMIX_SYSTEM_TMPDIR, session_directory);
    static PlaceholderTopology topology;
    infos.add_topology(topology.get());
    static pmix_server_module_t module = make_module();
    check(PMIx_server_init(&module, infos.data(), infos.size()), "the PMIx server does not start");
}

void PmixServer::register_job(const LaunchOrder& order, int node, const std::string& key)
{
    job_name_ = order.job_name;
    target.job_name = order.job_name;
    for (const Placement& placement : order.ranks) {
        target.is_local.push_back(placement.node == node);
    }
    const std::vector<int> local = order.ranks_of(node);
    PmixInfoList infos = describe_job(order, node, session_directory_);
    infos.add(kKeyAttribute, key);
    Completion job;
    check(PMIx_server_register_nspace(job_name_.c_str(), static_cast<int>(local.size()), infos.data(),
                                      infos.size(), Completion::done, &job),
          "the PMIx server refuses the job");
    std::vector<Completion> clients(local.size());
    for (std::size_t i = 0; i < clients.size(); ++i) {
        pmix_proc_t proc{};
        PMIX_LOAD_PROCID(&proc, job_name_.c_str(), static_cast<pmix_rank_t>(local[i]));
        check(PMIx_server_register_client(&proc, ::geteuid(), ::getegid(), nullptr, Completion::done,
                                          &clients[i]),
              "the PMIx server refuses a rank");
    }
    job.wait("the PMIx server refuses the job");
    for (Completion& client : clients) {
        client.wait("the PMIx server refuses a rank");
    }
}

void PmixServer::published_by(int rank, PmixAnswer answer)
{
    pmix_proc_t proc{};
    PMIX_LOAD_PROCID(&proc, job_name_.c_str(), static_cast<pmix_rank_t>(rank));
    auto kept = std::make_unique<PmixAnswer>(std::move(answer));
    const pmix_dmodex_response_fn_t respond = [](pmix_status_t status, char* data, std::size_t bytes,
                                                 void* self) {
        const std::unique_ptr<PmixAnswer> owned(static_cast<PmixAnswer*>(self));
        (*owned)(status, data != nullptr ? std::string(data, bytes) : std::string());
    };
    const pmix_status_t status = PMIx_server_dmodex_request(&proc, respond, kept.get());
    if (status == PMIX_SUCCESS) {
        [[maybe_unused]] const PmixAnswer* const passed_on = kept.release();
    } else {
        (*kept)(status, {});
    }
}

void PmixServer::announce_death(int rank, bool by_signal)
{
    pmix_proc_t proc{};
    PMIX_LOAD_PROCID(&proc, job_name_.c_str(), static_cast<pmix_rank_t>(rank));
    auto infos = std::make_unique<PmixInfoList>();
    infos->add_proc(PMIX_EVENT_AFFECTED_PROC, proc);
    const pmix_status_t code = by_signal ? PMIX_ERR_PROC_ABORTED_BY_SIG : PMIX_ERR_PROC_ABORTED;
    const pmix_op_cbfunc_t release = [](pmix_status_t, void* list) {
        delete static_cast<PmixInfoList*>(list);
    };
    // Not waited for: who has registered for nothing is told nothing, and that is no error.
    if (PMIx_Notify_event(code, &proc, PMIX_RANGE_LOCAL, infos->data(), infos->size(), release,
                          infos.get()) == PMIX_SUCCESS) {
        [[maybe_unused]] const PmixInfoList* const passed_on = infos.release();
    }
}

std::vector<std::string> PmixServer::rank_environment(int rank) const
{
    pmix_proc_t proc{};
    PMIX_LOAD_PROCID(&proc, job_name_.c_str(), static_cast<pmix_rank_t>(rank));
    char** variables = nullptr;
    check(PMIx_server_setup_fork(&proc, &variables), "the PMIx server has no environment for a rank");
    std::vector<std::string> result;
    for (char** variable = variables; variable != nullptr && *variable != nullptr; ++variable) {
        result.emplace_back(*variable);
        std::free(*variable);
    }
    std::free(variables);
    result.push_back(fmt::format("{}={}", kStore, std::getenv(kStore)));
    return result;
}

}  // namespace tutti::launcher
