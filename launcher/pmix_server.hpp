// The PMIx server of one daemon: answers the ranks' PMIx calls and tells the daemon what they did.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launcher/event_loop.hpp"
#include "launcher/messages.hpp"

namespace tutti::launcher {

/// Takes a pmix_status_t and bytes that only libpmix understands. To be called once.
using PmixAnswer = std::function<void(int status, std::string data)>;

/// libpmix runs these calls in a thread of its own; the observer is called in the loop's thread.
class PmixObserver {
public:
    virtual void rank_connected(int rank) = 0;
    virtual void rank_finalized(int rank) = 0;
    virtual void rank_aborted(int rank, int status, const std::string& message) = 0;
    /// All of `ranks` (ascending, or kAllRanks) that this node has are in a fence with ranks of other nodes.
    /// `status` is a pmix_status_t, of what this node's ranks have done so far.
    virtual void fence_reached(std::vector<int> ranks, int status, std::string data, PmixAnswer answer) = 0;
    /// A rank of this node waits until `rank`, of another one, publishes `key`; the answer is all that it has
    /// published.
    virtual void values_wanted(int rank, const std::string& key, PmixAnswer answer) = 0;

protected:
    ~PmixObserver() = default;
};

/// One in a process, from its construction to the process's end: libpmix cannot be started a second time, and
/// shutting it down costs time that nobody has once all ranks are gone.
class PmixServer {
public:
    /// Starts libpmix, which takes some 10 ms. All signals must be blocked. Throws std::runtime_error.
    PmixServer(EventLoop& loop, PmixObserver& observer, const std::string& session_directory);
    PmixServer(const PmixServer&) = delete;
    PmixServer& operator=(const PmixServer&) = delete;

    /// Makes the job and the ranks of `node`, at least one, known. `key` is the job's, in hexadecimal digits.
    /// Throws std::runtime_error.
    void register_job(const LaunchOrder& order, int node, const std::string& key);
    /// The variables, as NAME=value, by which the rank's process finds this server.
    std::vector<std::string> rank_environment(int rank) const;
    /// Calls `answer`, in libpmix's thread, with all that `rank`, of this node, has published, as soon as
    /// there is something.
    void published_by(int rank, PmixAnswer answer);
    /// Raises PMIX_ERR_PROC_ABORTED_BY_SIG or PMIX_ERR_PROC_ABORTED, with PMIX_EVENT_AFFECTED_PROC, for those
    /// of this node's ranks that have registered for them by these codes.
    void announce_death(int rank, bool by_signal);

private:
    std::string session_directory_;
    std::string job_name_;
};

}  // namespace tutti::launcher
