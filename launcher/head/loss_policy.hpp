// What the end or loss of a rank or a daemon means for the job: the job ends. Daemons report what has
// happened, and this decides; the head carries it out.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "launcher/job/job_messages.hpp"

namespace tutti::launcher {

/// What the head does about a report.
struct Verdict {
    enum class Action { nothing, report, end_job };
    Action action = Action::nothing;
    int exit_status = 0;  // of tuttirun, unless an earlier verdict has set it
    std::string line;     // for the user
    // What programs read in --report-json; empty for nothing.
    std::string kind = {};  // "rank_killed"
    int rank = -1;          // -1: no rank's doing
    std::string host = {};  // of the rank
    int signal = 0;         // 0: none
    CrashReport place = {};
};

class LossPolicy {
public:
    /// ending: its daemons have the order to end it. exited: no rank is left, and nothing has gone wrong.
    enum class JobState { running, ending, exited };

    explicit LossPolicy(std::size_t hosts) : hosts_(hosts) {}

    /// The first of a node's ranks is part of the job: ranks may wait for each other.
    Verdict rank_joined();
    /// `host` is where the rank is, here and below.
    Verdict rank_exited(const ExitReport& report, const std::string& host);
    Verdict rank_aborted(const AbortReport& report, const std::string& host);
    /// `error_number` is 0 where `what` says it all.
    Verdict rank_not_started(int rank, const std::string& host, int error_number, const std::string& what);
    Verdict daemons_not_started(const std::string& reason);
    /// A signal that was sent to the daemon of `host` ends it.
    Verdict daemon_must_end(const std::string& host, int signal);
    /// Daemons are gone that had work to do, and `ranks` with them.
    Verdict daemons_lost(const std::string& reason, std::span<const int> ranks, JobState state);

private:
    std::size_t hosts_;
    bool any_joined_ = false;
    bool loss_reported_ = false;  // of a daemon: what is lost after it is its consequence
    Verdict absence_;         // of the first rank that ended well and did not join
};

}  // namespace tutti::launcher
