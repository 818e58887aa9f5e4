#include "launcher/pmix_server.hpp"

#include <pmix.h>
#include <pmix_server.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <stdexcept>

#include <fmt/format.h>

#include "launcher/pmix_info.hpp"
#include "launcher/pmix_job_info.hpp"

namespace tutti::launcher {

namespace {

/// Where the callbacks find their daemon: libpmix passes no pointer of ours to all of them.
struct Target {
    EventLoop* loop = nullptr;
    PmixObserver* observer = nullptr;
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

pmix_status_t fence(const pmix_proc_t*, std::size_t, const pmix_info_t*, std::size_t, char* data, std::size_t,
                    pmix_modex_cbfunc_t, void*)
{
    // All ranks are on this node, and libpmix has heard all of them and stored what they published.
    std::free(data);
    return PMIX_OPERATION_SUCCEEDED;
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

}  // namespace

PmixServer::PmixServer(EventLoop& loop, PmixObserver& observer, const std::string& session_directory)
    : session_directory_(session_directory)
{
    target = {&loop, &observer};
    PmixInfoList infos;
    infos.add(PMIX_SERVER_NSPACE, "tuttirun-daemon");
    infos.add_rank(PMIX_SERVER_RANK, 0);
    infos.add(PMIX_SERVER_TMPDIR, session_directory);
    infos.add(PMIX_SYSTEM_TMPDIR, session_directory);
    static pmix_server_module_t module = make_module();
    check(PMIx_server_init(&module, infos.data(), infos.size()), "the PMIx server does not start");
}

void PmixServer::register_job(const LaunchOrder& order)
{
    job_name_ = order.job_name;
    PmixInfoList infos = describe_job(order, session_directory_);
    Completion job;
    check(PMIx_server_register_nspace(job_name_.c_str(), static_cast<int>(order.ranks.size()), infos.data(),
                                      infos.size(), Completion::done, &job),
          "the PMIx server refuses the job");
    std::vector<Completion> clients(order.ranks.size());
    for (std::size_t i = 0; i < clients.size(); ++i) {
        pmix_proc_t proc{};
        PMIX_LOAD_PROCID(&proc, job_name_.c_str(), static_cast<pmix_rank_t>(order.ranks[i].rank));
        check(PMIx_server_register_client(&proc, ::geteuid(), ::getegid(), nullptr, Completion::done,
                                          &clients[i]),
              "the PMIx server refuses a rank");
    }
    job.wait("the PMIx server refuses the job");
    for (Completion& client : clients) {
        client.wait("the PMIx server refuses a rank");
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
    return result;
}

}  // namespace tutti::launcher
