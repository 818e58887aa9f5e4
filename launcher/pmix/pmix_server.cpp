#include "launcher/pmix/pmix_server.hpp"

#include <hwloc.h>
#include <pmix.h>
#include <pmix_server.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <memory>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "launcher/job/job_messages.hpp"
#include "launcher/pmix/pmix_info.hpp"
#include "launcher/pmix/user_filter.hpp"

namespace tutti::launcher {

namespace {

/// Where PMIx keeps its keys: in plain memory, not in files that all ranks map. It starts in half the time,
/// and a killed rank leaves no lock behind. The user's own setting wins.
constexpr const char* kStore = "PMIX_MCA_gds";
constexpr const char* kStoreHash = "hash";

/// The job's key, for its ranks only: 64 hexadecimal digits.
constexpr const char* kKeyAttribute = "tutti.key";

/// A synthetic machine of one processor, which keeps libpmix from examining this one. That would take longer
/// than the rest of its start, since it also asks X servers for graphics contacts. Nothing that the server
/// offers depends on it: ranks are bound by the head's map, and clients that need the topology read it
/// themselves. To be called before there are threads. libpmix keeps pointers to the result.
pmix_topology_t* placeholder_topology()
{
    static std::string source = "hwloc:" + std::to_string(HWLOC_API_VERSION);
    static pmix_topology_t description{};
    // No other code of this process misses what hwloc's plugins would find.
    ::setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 1);
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0 || hwloc_topology_set_synthetic(topology, "pu:1") != 0 ||
        hwloc_topology_load(topology) != 0)
        throw std::runtime_error("hwloc does not start");
    description.source = source.data();
    description.topology = topology;
    return &description;
}

void check(pmix_status_t status, const char* what)
{
    if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED)
        throw std::runtime_error(fmt::format("{}: {}", what, PMIx_Error_string(status)));
}

/// Waits for the callback of a request to libpmix.
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

class PmixServer {
public:
    PmixServer(PmixReports& reports, const std::string& session_directory);
    void handle(const Frame& frame);

private:
    void register_job(const LaunchOrder& order, int node, const std::string& key);
    std::vector<std::string> rank_environment(int rank) const;
    void find(std::uint64_t serial, int rank);
    void announce_death(int rank, bool by_signal);
    pmix_proc_t proc_of(int rank) const;

    PmixReports& reports_;
    const std::string session_directory_;
    std::string job_name_;
};

PmixServer::PmixServer(PmixReports& reports, const std::string& session_directory)
    : reports_(reports), session_directory_(session_directory)
{
    if (std::getenv(kStore) == nullptr)
        ::setenv(kStore, kStoreHash, 1);
    refuse_other_users();
    PmixInfoList infos;
    infos.add(PMIX_SERVER_NSPACE, "tuttirun-daemon");
    infos.add_rank(PMIX_SERVER_RANK, 0);
    infos.add(PMIX_SERVER_TMPDIR, session_directory);
    infos.add(PMIX_SYSTEM_TMPDIR, session_directory);
    infos.add_topology(placeholder_topology());
    check(PMIx_server_init(pmix_module(reports), infos.data(), infos.size()),
          "the PMIx server does not start");
}

pmix_proc_t PmixServer::proc_of(int rank) const
{
    pmix_proc_t proc{};
    PMIX_LOAD_PROCID(&proc, job_name_.c_str(), static_cast<pmix_rank_t>(rank));
    return proc;
}

void PmixServer::handle(const Frame& frame)
{
    switch (frame.type) {
        case FrameType::pmix_register: {
            const auto [node, key, order] = decode<int, std::string, LaunchOrder>(frame.payload);
            register_job(order, node, key);
            break;
        }
        case FrameType::pmix_find: {
            const auto [serial, rank] = decode<std::uint64_t, int>(frame.payload);
            find(serial, rank);
            break;
        }
        case FrameType::pmix_answer: {
            auto [serial, status, data] = decode<std::uint64_t, int, std::string>(frame.payload);
            reports_.handle_answer(serial, status, std::move(data));
            break;
        }
        case FrameType::rank_died: {
            const auto [rank, by_signal] = decode<int, bool>(frame.payload);
            announce_death(rank, by_signal);
            break;
        }
        default:
            throw WireError("a frame that is none for a PMIx server");
    }
}

void PmixServer::register_job(const LaunchOrder& order, int node, const std::string& key)
{
    job_name_ = order.job_name;
    std::vector<bool> is_local;
    for (const RankPlacement& placement : order.ranks)
        is_local.push_back(placement.node == node);
    set_pmix_job(job_name_, std::move(is_local));
    const std::vector<int> local = order.ranks_of(node);
    PmixInfoList infos = describe_job(order, node, session_directory_);
    infos.add(kKeyAttribute, key);
    Completion job;
    check(PMIx_server_register_nspace(job_name_.c_str(), static_cast<int>(local.size()), infos.data(),
                                      infos.size(), Completion::done, &job),
          "the PMIx server refuses the job");
    std::vector<Completion> clients(local.size());
    for (std::size_t i = 0; i < clients.size(); ++i) {
        const pmix_proc_t proc = proc_of(local[i]);
        check(PMIx_server_register_client(&proc, ::geteuid(), ::getegid(), nullptr, Completion::done,
                                          &clients[i]),
              "the PMIx server refuses a rank");
    }
    job.wait("the PMIx server refuses the job");
    for (Completion& client : clients)
        client.wait("the PMIx server refuses a rank");
    std::vector<std::pair<int, std::vector<std::string>>> environments;
    for (const int rank : local)
        environments.emplace_back(rank, rank_environment(rank));
    reports_.send(FrameType::pmix_ready, encode(environments));
}

void PmixServer::find(std::uint64_t serial, int rank)
{
    struct Question {
        PmixReports& reports;
        std::uint64_t serial;
        void answer(pmix_status_t status, std::string_view data) const
        {
            reports.send(FrameType::pmix_found, encode(serial, status, data));
        }
    };
    const pmix_proc_t proc = proc_of(rank);
    auto question = std::make_unique<Question>(Question{reports_, serial});
    const pmix_dmodex_response_fn_t respond = [](pmix_status_t status, char* data, std::size_t bytes,
                                                 void* self) {
        const std::unique_ptr<Question> owned(static_cast<Question*>(self));
        owned->answer(status, data != nullptr ? std::string_view(data, bytes) : std::string_view());
    };
    const pmix_status_t status = PMIx_server_dmodex_request(&proc, respond, question.get());
    if (status == PMIX_SUCCESS) [[maybe_unused]]
        const Question* const passed_on = question.release();
    else
        question->answer(status, {});
}

void PmixServer::announce_death(int rank, bool by_signal)
{
    const pmix_proc_t proc = proc_of(rank);
    auto infos = std::make_unique<PmixInfoList>();
    infos->add_proc(PMIX_EVENT_AFFECTED_PROC, proc);
    const pmix_status_t code = by_signal ? PMIX_ERR_PROC_ABORTED_BY_SIG : PMIX_ERR_PROC_ABORTED;
    const pmix_op_cbfunc_t release = [](pmix_status_t, void* list) {
        delete static_cast<PmixInfoList*>(list);
    };
    // Not waited for: ranks that have not registered for events get none, and that is no error.
    if (PMIx_Notify_event(code, &proc, PMIX_RANGE_LOCAL, infos->data(), infos->size(), release,
                          infos.get()) == PMIX_SUCCESS) [[maybe_unused]]
        const PmixInfoList* const passed_on = infos.release();
}

std::vector<std::string> PmixServer::rank_environment(int rank) const
{
    const pmix_proc_t proc = proc_of(rank);
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

}  // namespace

void run_pmix_server(UniqueFd daemon, const std::string& session_directory)
{
    PmixReports reports(std::move(daemon));
    try {
        PmixServer server(reports, session_directory);
        // From here on errors go to the daemon, not to stderr. libpmix writes a line there for each rank
        // that is killed in its start.
        redirect_to_null({STDERR_FILENO});
        reports.read([&server](const Frame& frame) { server.handle(frame); });
    } catch (const std::exception& error) {
        reports.send(FrameType::pmix_refused, error.what());
    }
    // libpmix's threads may be at any point: they end with the process.
    ::_exit(0);
}

}  // namespace tutti::launcher
