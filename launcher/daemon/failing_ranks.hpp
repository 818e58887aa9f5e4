// Ranks of this node that say that they crash or abort: their stacks are read, for which they wait, and kept
// until their ends are reported.
#pragma once

#include <deque>
#include <functional>
#include <map>

#include "launcher/ranks/process_table.hpp"
#include "launcher/stacks/crash_report.hpp"
#include "launcher/stacks/stack_reader.hpp"

namespace tutti::launcher {

class FailingRanks {
public:
    /// Lets the rank go on to its end.
    using LetGo = std::function<void(int rank)>;

    FailingRanks(EventLoop& loop, LetGo let_go) : reader_(loop), let_go_(std::move(let_go)) {}

    /// `process` of this rank crashes.
    void crashed(int rank, const RankProcess& of_rank, pid_t process, const control::Crash& crash,
                 std::string last_call);
    /// A thread of the rank has called abort. `done` follows, at the latest when the job is ended.
    void aborted(int rank, const RankProcess& of_rank, pid_t thread, std::string last_call,
                 std::function<void()> done);

    /// The job is being ended: nobody waits for stacks any more.
    void let_all_go();

    /// What is known of a rank until now. It is forgotten, and waits no more.
    CrashReport take(int rank);

private:
    void read(int rank, const RankProcess& of_rank, pid_t process, StackLimits limits);
    void read_next();
    void finish(int rank);

    StackReader reader_;
    LetGo let_go_;
    bool ending_ = false;
    int reading_ = 0;
    std::deque<std::function<void()>> queue_;  // what is read when a reader has finished
    std::map<int, CrashReport> reports_;
    std::map<int, std::function<void()>> waiting_;  // with what follows for each
};

}  // namespace tutti::launcher
