// One rank's runtime: its bootstrap, engine, protocol and transports. If ranks are threads, one process has
// several, so nothing here is global.
//
// The rooms above keep what is theirs in the rank's Parts, which Process owns but does not know.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/core/process/contexts.hpp"
#include "lib/core/process/control_exchange.hpp"
#include "lib/core/process/diagnosis.hpp"
#include "lib/core/process/group_operation.hpp"
#include "lib/core/process/rank_status.hpp"
#include "lib/core/process/waits.hpp"
#include "lib/core/process/window_request.hpp"
#include "lib/engine/bootstrap/job_bootstrap.hpp"
#include "lib/engine/progress/engine.hpp"
#include "lib/engine/protocol/protocol.hpp"
#include "lib/foundation/base/pool.hpp"
#include "lib/foundation/reduction/team.hpp"
#include "transports/inproc/inproc_transport.hpp"
#include "transports/shm/shm_transport.hpp"
#include "tutti/environment.hpp"

namespace tutti::check {
class Checker;
}

namespace tutti::detail {

class CommunicatorState;
class CommunicatorTable;
class Continuations;
class FileWorker;
class WindowService;

/// What the rooms above have of a rank (lib/core/job/make_process.hpp makes it). The last ends first.
struct Parts {
    std::unique_ptr<Diagnosis> diagnosis;
    std::shared_ptr<FileWorker> files;
    std::shared_ptr<CommunicatorTable> communicators;
    std::shared_ptr<WindowService> windows;
    std::shared_ptr<Continuations> continuations;
    std::shared_ptr<check::Checker> checker;  // nullptr: this job is not checked
    std::shared_ptr<CommunicatorState> world;
    std::shared_ptr<CommunicatorState> self;
};

class Process {
public:
    /// Without transports: parts of the rank first say which frames they take. `ranks_are_processes`: false
    /// for ranks that are threads.
    Process(std::unique_ptr<bootstrap::Bootstrap> bootstrap, EnvironmentOptions options,
            bool ranks_are_processes);
    /// Adds the transports and publishes how peers reach this rank. `hub` connects ranks that are threads;
    /// without it, ranks are processes of this node.
    void open(std::shared_ptr<transport::InprocHub> hub);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    int rank() const noexcept { return bootstrap_->rank(); }
    int size() const noexcept { return bootstrap_->size(); }
    ThreadLevel thread_level() const noexcept { return threads_; }
    /// Whether this rank, or another rank of its node, regards its cores as shared. The latter may wait until
    /// that rank starts. Under the lock.
    bool shared_cores() const noexcept { return shared_cores_; }
    bool shared_cores_of(int peer);
    bool is_local(int peer) const;
    /// In words, with the rank's host. Under the lock.
    std::string why_lost(int peer) const;
    bootstrap::Bootstrap& bootstrap() noexcept { return *bootstrap_; }
    protocol::Protocol& protocol() noexcept { return protocol_; }
    progress::Engine& engine() noexcept { return engine_; }
    RankStatus& status() noexcept { return *status_; }
    const std::shared_ptr<RankStatus>& shared_status() const noexcept { return status_; }
    Waits& waits() noexcept { return waits_; }
    /// To be set before open() where frames are for it.
    Parts& parts() noexcept { return parts_; }
    Diagnosis& diagnosis() noexcept { return *parts_.diagnosis; }
    CommunicatorTable& communicators() noexcept { return *parts_.communicators; }
    WindowService& windows() noexcept { return *parts_.windows; }
    FileWorker& files() noexcept { return *parts_.files; }
    Continuations& continuations() noexcept { return *parts_.continuations; }
    /// nullptr: this job is not checked.
    check::Checker* checker() const noexcept { return parts_.checker.get(); }
    const std::shared_ptr<CommunicatorState>& world() const noexcept { return parts_.world; }
    const std::shared_ptr<CommunicatorState>& self() const noexcept { return parts_.self; }
    /// How peers wake this rank through shared memory; nullptr if it has no such transport.
    const transport::shm::InboxContact* inbox() const noexcept;
    /// How ranks of the node open each other's memory if /proc does not allow it; nullptr: not at all.
    transport::shm::DescriptorExchange* exchange() noexcept { return exchange_ ? &*exchange_ : nullptr; }

    /// How local peers map() these bytes of ours; the key is 0 where they cannot. Under the lock.
    transport::RemoteRegion expose(std::span<const std::byte> data) const noexcept;
    /// The memory that `peer` has exposed; empty where it cannot be mapped. Under the lock. Throws if the
    /// peer cannot be reached.
    std::span<std::byte> map(int peer, const transport::RemoteRegion& region, std::size_t bytes);

    /// The network that writes to memory of ranks of other nodes; nullptr if there is none. Under the
    /// lock.
    transport::RemoteMemory* network_memory() const noexcept;

    /// A context id that no other rank and no earlier call assigns. Under the lock.
    std::uint64_t new_context();

    /// Ends the whole job with this rank and `what` as the message. If peers are lost, the launcher first may
    /// end the job with the cause.
    [[noreturn]] void abort(int status, const std::string& what);

    // Objects of active operations. Under the lock.
    base::Pool<protocol::SendRequest> sends;
    base::Pool<protocol::ReceiveRequest> receives;
    base::Pool<GroupSend> group_sends;
    base::Pool<GroupReceive> group_receives;
    base::Pool<WindowRequest> window_requests;

    /// Ends of operations that a wait for any of several watches. Under the lock.
    std::uint64_t watched_ends = 0;
    /// Ends of non-blocking collectives. Under the lock.
    std::uint64_t collectives_ended = 0;

private:
    int local_ranks() const noexcept { return static_cast<int>(bootstrap_->local_peers().size()); }
    bool crowded() const;
    void open_shared_memory(std::span<const int> local);
    std::optional<int> find_apart();
    int home_cpu() const noexcept;
    progress::EngineOptions engine_options(Progress wanted, bool ranks_are_processes) const;
    int threads_of_reductions() const;
    transport::Transport& connect(int peer);
    void report_fallback(int peer, const transport::Transport& instead, const std::string& why);

    std::unique_ptr<bootstrap::Bootstrap> bootstrap_;
    std::optional<ControlExchange> exchange_;
    ThreadLevel threads_;
    bool shared_cores_;
    std::shared_ptr<RankStatus> status_;
    protocol::Protocol protocol_;
    progress::Engine engine_;
    Waits waits_;
    reduction::Team team_;
    transport::shm::ShmTransport* shm_ = nullptr;
    std::optional<int> rank_apart_;  // the rank that reports the detour
    bool reported_detour_ = false;
    std::map<int, std::optional<bool>> shared_cores_of_;
    std::uint32_t next_context_ = kLeadersContext + 1;
    Parts parts_;
};

}  // namespace tutti::detail
