// The daemon's side of its PMIx server, a process below it that reports ranks' PMIx calls.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/base/event_loop.hpp"
#include "launcher/job/job_messages.hpp"
#include "launcher/pmix/pmix_reports.hpp"
#include "launcher/wire/connection.hpp"

namespace tutti::launcher {

class PmixProcess {
public:
    /// Called in the loop's thread.
    struct Events {
        /// The job is registered, so ranks may start.
        std::function<void()> ready;
        /// The server has not started, or is gone. `reason` begins a sentence, "the PMIx server ...".
        std::function<void(const std::string& reason)> lost;
        std::function<void(int rank)> connected;
        std::function<void(int rank)> finalized;
        std::function<void(int rank, int status, const std::string& message)> aborted;
        /// This node's ranks are in a fence with ranks of other nodes.
        std::function<void(FenceFrame part, PmixAnswer answer)> fence;
        /// A rank of this node waits until `rank` of another node publishes `key`, which is empty where it is
        /// unknown. The answer is all that the rank has published by then.
        std::function<void(int rank, const std::string& key, PmixAnswer answer)> get;
    };

    /// Forks the server. `loop` must outlive this. To be called by the main thread, with which the child
    /// ends, before there are other threads. Throws std::system_error.
    PmixProcess(EventLoop& loop, Events events, const std::string& session_directory);
    ~PmixProcess();

    /// Registers the job, whose ranks may read `key`. Events::ready follows.
    void register_job(const LaunchOrder& order, int node, const std::string& key);
    /// The variables by which a rank of this node finds the server, once that is ready.
    const std::vector<std::string>& rank_environment(int rank) const { return environments_.at(rank); }

    /// Gets the values of `rank`, of this node, once it has published any.
    void published_by(int rank, PmixAnswer answer);
    /// Tells the ranks of this node that a rank has died.
    void announce_death(int rank, bool by_signal);

    /// Handles all reports that the server has sent.
    void read_all() { server_->receive_all(); }
    /// Whether an ended child was the server.
    bool reaped(pid_t child, int wait_status);

private:
    void handle(const Frame& frame);
    PmixAnswer answer_to(std::uint64_t serial);
    void end();
    void lose(const std::string& reason);

    Events events_;
    pid_t pid_ = -1;
    std::unique_ptr<Connection> server_;
    std::map<int, std::vector<std::string>> environments_;
    std::map<std::uint64_t, PmixAnswer> finding_;
    std::uint64_t last_serial_ = 0;
    bool lost_ = false;
};

}  // namespace tutti::launcher
