// The daemon: starts the ranks of one node, serves their PMIx calls, and sees to it that they all end.
#pragma once

#include <signal.h>

#include <memory>
#include <optional>

#include "launcher/connection.hpp"
#include "launcher/pmix_server.hpp"
#include "launcher/process_table.hpp"
#include "launcher/rank_environment.hpp"
#include "launcher/rank_input.hpp"
#include "launcher/rank_output.hpp"
#include "launcher/spawn.hpp"
#include "launcher/watchdog.hpp"

namespace tutti::launcher {

/// Between the first signal and SIGKILL, when a job is ended.
inline constexpr std::chrono::milliseconds kGracePeriod{300};

/// Serves the head at the other end of `head` as the job's node `node` until the job is over or the head is
/// gone. `inherited` is what the launcher was started with, for the ranks. Returns the process's exit status.
int run_daemon(UniqueFd head, int node, const InheritedState& inherited);

class Daemon final : private PmixObserver {
public:
    Daemon(UniqueFd head, int node, const InheritedState& inherited, const std::string& session_directory);
    void run() { loop_.run(); }

private:
    void rank_connected(int rank) override;
    void rank_finalized(int rank) override;
    void rank_aborted(int rank, int status, const std::string& message) override;

    void handle_frame(FrameType type, std::string_view payload);
    void handle_signal();
    void launch(const LaunchOrder& order);
    bool start_rank(const LaunchOrder& order, const Placement& placement, const std::string& program,
                    const RankEnvironment& app_environment);
    void start_failed(int rank, const SpawnError& error);
    void reap();
    void end_job(int signal);
    void check_for_the_end();

    const int node_;
    EventLoop loop_;
    InheritedState inherited_;
    RankEnvironment base_environment_;  // taken before libpmix is started, which adds variables of its own
    UniqueFd signals_;
    Watchdog watchdog_;
    ProcessTable processes_;
    Connection head_;
    RankOutput output_;
    RankInput input_;
    std::unique_ptr<PmixServer> pmix_;
    bool launched_ = false;
    bool ending_ = false;
    bool given_up_ = false;
    bool all_exited_ = false;
};

}  // namespace tutti::launcher
