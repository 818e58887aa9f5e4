// The daemon: starts the ranks of one node, has their PMIx calls served, and makes sure that they all end.
#pragma once

#include <signal.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/daemon/failing_ranks.hpp"
#include "launcher/pmi/pmi_server.hpp"
#include "launcher/pmix/pmix_process.hpp"
#include "launcher/pmix/pmix_relay.hpp"
#include "launcher/profile/profile_collector.hpp"
#include "launcher/ranks/control_channels.hpp"
#include "launcher/ranks/memory_kills.hpp"
#include "launcher/ranks/process_table.hpp"
#include "launcher/ranks/rank_environment.hpp"
#include "launcher/ranks/spawn.hpp"
#include "launcher/ranks/watchdog.hpp"
#include "launcher/report/observer.hpp"
#include "launcher/streams/rank_input.hpp"
#include "launcher/streams/rank_output.hpp"
#include "launcher/tree/children.hpp"
#include "launcher/wire/connection.hpp"

namespace tutti::launcher {

namespace doctor {
class HostCheck;
}

/// Who a daemon is.
struct DaemonIdentity {
    int node = 0;                // in the job
    security::Key key;           // the job's
    std::optional<Hello> hello;  // of a daemon on another host: the first frame that it sends
};

/// Serves the head at the other end of `head`, or behind other daemons, until the job is over or the stream
/// is closed. `inherited` is the state that the launcher was started with, for the ranks. Creates and
/// removes the session directory. Forks: this returns the exit status in the child, and the caller's
/// process becomes the watchdog.
int run_daemon(UniqueFd head, const DaemonIdentity& identity, const InheritedState& inherited,
               const std::string& session_directory);

/// tuttirun --daemon: the daemon of a host other than the head's. Reads its record from standard input, joins
/// the job, and serves it to its end. Returns the process's exit status. What goes wrong is said on stderr,
/// which ssh carries to the head.
int run_remote_daemon();

class Daemon {
public:
    Daemon(UniqueFd head, const DaemonIdentity& identity, const InheritedState& inherited,
           const std::string& session_directory, Watchdog& watchdog);
    ~Daemon();
    void run() { loop_.run(); }

private:
    void handle_frame(const Frame& frame);
    void handle_own(const Frame& frame);
    ControlChannels::Events control_events();
    PmixProcess::Events pmix_events();
    PmiServer::Events pmi_events();
    void pmix_ready();
    void pmix_lost(const std::string& reason);
    void rank_joined(int rank, Membership RankProcess::*source);
    void rank_left(int rank, Membership RankProcess::*source);
    void rank_aborted(int rank, int status, const std::string& message, pid_t thread);
    void start_daemons(const StartOrder& order);
    void handle_signal();
    void launch(LaunchOrder order);
    /// A program of the job, as its ranks on this host start it.
    struct LocalProgram {
        std::string path;
        RankEnvironment environment;
        bool has_heap = false;  // malloc takes memory that ranks share
    };
    void prepare_host(const LaunchOrder& order, const std::vector<int>& local);
    LocalProgram prepare_program(const LaunchOrder& order, const AppContext& app, std::size_t local_ranks);
    void start_ranks(const LaunchOrder& order);
    RankEnvironment environment_of_rank(const LaunchOrder& order, const RankPlacement& placement,
                                        const LocalProgram& program, int control, int pmi) const;
    void start_rank(const LaunchOrder& order, const RankPlacement& placement, const LocalProgram& program);
    void note(bool only_verbose, const std::string& text);
    void report_processes(const LaunchOrder& order, const std::vector<int>& ranks);
    void start_failed(int rank, const SpawnError& error);
    void enter_working_directory(const LaunchOrder& order);
    void advise_lonely(int rank);
    void look_for_lonely(Seconds later);
    bool was_killed_for_memory(int wait_status);
    void reap();
    void end_job(int signal, Seconds grace = kGracePeriod);
    void kill_the_deaf(int signal);
    void signal_processes(int signal);
    void check_for_the_end();

    const DaemonIdentity identity_;
    const std::string session_directory_;
    EventLoop loop_;
    InheritedState inherited_;
    RankEnvironment base_environment_;  // as it is before libpmix adds variables of its own
    UniqueFd signals_;
    Watchdog& watchdog_;
    ProcessTable processes_;
    Connection stream_;
    Uplink head_;
    std::unique_ptr<Children> children_;  // daemons that this one has started
    RankOutput output_;
    RankInput input_;
    Observer observer_;
    ProfileCollector profiles_;
    ControlChannels control_;
    PmiServer pmi_;  // for programs with --mpi own
    FailingRanks failing_;
    std::unique_ptr<PmixProcess> pmix_;
    std::unique_ptr<PmixRelay> relay_;
    std::unique_ptr<doctor::HostCheck> host_check_;         // once the head is tuttirun --doctor
    std::string why_no_pmix_;                               // set once there is no server any more
    std::optional<LaunchOrder> order_;                      // until the PMIx server is ready for it
    std::vector<std::pair<FrameType, std::string>> early_;  // frames for ranks that start only then
    std::vector<UniqueFd> debug_ports_;    // each is its gdbserver's, which may begin to listen late
    std::map<int, std::string> programs_;  // of ranks, while it is not known whether they are alone
    MpiLibraries mpi_ = MpiLibraries::automatic;
    MemoryKills memory_kills_;
    bool launched_ = false;
    bool any_joined_ = false;
    bool ending_ = false;
    bool has_killed_ = false;  // processes of the job
    bool given_up_ = false;
    bool all_exited_ = false;
};

}  // namespace tutti::launcher
