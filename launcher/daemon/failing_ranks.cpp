#include "launcher/daemon/failing_ranks.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace tutti::launcher {

namespace {

/// A rank waits two seconds. A reader may need half a second more than its limit to give up.
constexpr std::chrono::milliseconds kTime{1300};
/// Ranks that fail together mostly fail alike, and their readers would take each other's cores.
constexpr int kAtOnce = 4;

/// Without the calls of Tutti that abort, perhaps in a thread of its own.
void keep_users_frames(CrashReport& report)
{
    report.frames.erase(report.frames.begin(), std::ranges::find_if(report.frames, &StackFrame::of_user));
}

}  // namespace

void FailingRanks::crashed(int rank, const RankProcess& of_rank, pid_t process, const control::Crash& crash,
                           std::string last_call)
{
    CrashReport& report = reports_[rank];
    report.signal = crash.signal;
    report.reason = describe_crash(crash);
    report.last_call = std::move(last_call);
    StackLimits limits;
    limits.thread = crash.thread;
    limits.behind_handler = true;
    waiting_[rank] = [this, rank] { let_go_(rank); };
    read(rank, of_rank, process, limits);
}

void FailingRanks::aborted(int rank, const RankProcess& of_rank, pid_t thread, std::string last_call,
                           std::function<void()> done)
{
    reports_[rank].last_call = std::move(last_call);
    StackLimits limits;
    limits.thread = thread;
    waiting_[rank] = [this, rank, done = std::move(done)] {
        keep_users_frames(reports_[rank]);
        done();
        let_go_(rank);
    };
    read(rank, of_rank, thread, limits);  // a thread's number serves as its process's
}

void FailingRanks::read(int rank, const RankProcess& of_rank, pid_t process, StackLimits limits)
{
    CrashReport& report = reports_[rank];
    limits.time = kTime;
    // The number comes from the rank: in a container it may be that of another process here.
    if (!of_rank.running || ::getpgid(process) != of_rank.pid)
        report.missing = "its process has another number on this host, or has left its process group";
    if (ending_ || !report.missing.empty())
        return finish(rank);
    report.missing = "other ranks of its host failed at the same time";
    queue_.push_back([this, rank, process, limits] {
        reports_[rank].missing = "reading it took too long";
        ++reading_;
        reader_.read(process, limits, [this, rank](ProcessStacks stacks) {
            --reading_;
            if (const auto found = reports_.find(rank); found != reports_.end()) {
                found->second.missing = std::move(stacks.missing);
                if (!stacks.threads.empty())
                    found->second.frames = std::move(stacks.threads.front().frames);
            }
            finish(rank);
            read_next();
        });
    });
    read_next();
}

void FailingRanks::read_next()
{
    while (!queue_.empty() && reading_ < kAtOnce) {
        const std::function<void()> read = std::move(queue_.front());
        queue_.pop_front();
        read();
    }
}

void FailingRanks::finish(int rank)
{
    if (const auto waited = waiting_.extract(rank); !waited.empty())
        waited.mapped()();
}

void FailingRanks::let_all_go()
{
    ending_ = true;
    queue_.clear();
    for (const auto& [rank, follows] : std::exchange(waiting_, {}))
        follows();
}

CrashReport FailingRanks::take(int rank)
{
    finish(rank);
    const auto found = reports_.extract(rank);
    return found.empty() ? CrashReport{} : std::move(found.mapped());
}

}  // namespace tutti::launcher
