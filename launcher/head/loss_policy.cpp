#include "launcher/head/loss_policy.hpp"

#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "launcher/base/descriptors.hpp"
#include "launcher/report/report_words.hpp"
#include "lib/foundation/base/exit_status.hpp"

namespace tutti::launcher {

namespace {

/// `pid` is 0 for a rank without a process.
Verdict end_for_rank(const char* kind, int exit_status, int rank, int pid, const std::string& host,
                     const std::string& what, const CrashReport& place = {})
{
    const std::string process = pid > 0 ? fmt::format("pid {}, ", pid) : "";
    return {Verdict::Action::end_job,
            exit_status,
            fmt::format("rank {} ({}on {}) {}; ending the job{}", rank, process, host, what,
                        describe_place(place)),
            kind,
            rank,
            host,
            0,
            place};
}

}  // namespace

// Programs that know nothing of jobs end as they like. Where some join, all have to.
Verdict LossPolicy::rank_joined()
{
    any_joined_ = true;
    return absence_;
}

Verdict LossPolicy::rank_exited(const ExitReport& report, const std::string& host)
{
    const auto end = [&](const char* kind, int exit_status, const std::string& what) {
        return end_for_rank(kind, exit_status, report.rank, report.pid, host, what, report.crash);
    };
    const std::string& reason = report.crash.reason;
    if (WIFSIGNALED(report.wait_status)) {
        const int signal = WTERMSIG(report.wait_status);
        Verdict verdict = end("rank_killed", 128 + signal,
                              fmt::format("was killed by signal {} ({}{})", signal,
                                          reason.empty() ? ::strsignal(signal) : reason,
                                          WCOREDUMP(report.wait_status) ? ", core dumped" : ""));
        verdict.signal = signal;
        return verdict;
    }
    if (const int status = WEXITSTATUS(report.wait_status); status != 0)
        return end("rank_failed", status,
                   fmt::format("exited with status {}{}{}", status,
                               reason.empty() ? "" : " behind a crash: ", reason));
    if (!report.ended_well())
        return end("rank_left", 1,
                   fmt::format("exited with status 0 without calling {}",
                               report.leaving_call.empty() ? "finalize" : report.leaving_call));
    if (!report.joined && absence_.action == Verdict::Action::nothing) {
        absence_ = end("rank_absent", 1,
                       "exited with status 0 before it joined the job, which other ranks have joined: they "
                       "would wait for it for ever; let all ranks run the program, or give fewer of them "
                       "(-n)");
        return any_joined_ ? absence_ : Verdict{};
    }
    return {};
}

Verdict LossPolicy::rank_aborted(const AbortReport& report, const std::string& host)
{
    const std::string& message = report.message;
    return end_for_rank(
        "rank_aborted", base::exit_status_of_abort(report.status), report.rank, report.pid, host,
        fmt::format("called abort with status {}{}{}", report.status, message.empty() ? "" : ": ", message),
        report.place);
}

// 127 where there is no such program, 126 where it cannot be run, as shells have it.
Verdict LossPolicy::rank_not_started(int rank, const std::string& host, int error_number,
                                     const std::string& what)
{
    const int exit_status = error_number == 0                                   ? 1
                            : error_number == ENOENT || error_number == ENOTDIR ? 127
                                                                                : 126;
    const std::string reason = error_number == 0 ? "" : ": " + describe_system_error(error_number);
    return end_for_rank("rank_not_started", exit_status, rank, 0, host,
                        fmt::format("could not be started: {}{}", what, reason));
}

Verdict LossPolicy::daemons_not_started(const std::string& reason)
{
    return {Verdict::Action::end_job, 1, reason, "daemon_not_started"};
}

Verdict LossPolicy::daemon_must_end(const std::string& host, int signal)
{
    return {
        Verdict::Action::end_job, 128 + signal,
        fmt::format("the daemon on {} got signal {} ({}); ending the job", host, signal, ::strsignal(signal)),
        "daemon_ended"};
}

// The first loss is reported also where the job is ending already: messages of ranks that have lost their
// peers may come before the loss of the peers' daemon is known. Not on one host: the user knows what ended
// the job, and libpmix (4.2.2) sometimes ends a daemon whose ranks are killed all at once; its watchdog
// clears up.
Verdict LossPolicy::daemons_lost(const std::string& reason, std::span<const int> ranks, JobState state)
{
    if (std::exchange(loss_reported_, true) || (state == JobState::ending && hosts_ == 1))
        return {};
    Ranges all;
    for (const int rank : ranks)
        add_rank(all, rank);
    const std::string theirs = all.empty() ? "" : "; with it its " + ranks_in_words(all);
    if (state == JobState::running)
        return {Verdict::Action::end_job, 1, fmt::format("{}{}; ending the job", reason, theirs),
                "daemon_lost"};
    return {Verdict::Action::report, 1, reason + theirs, "daemon_lost"};  // output may be missing
}

}  // namespace tutti::launcher
