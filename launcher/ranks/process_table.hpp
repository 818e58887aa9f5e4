// The processes of the job on this node: the ranks and the process groups that they lead.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "launcher/base/descriptors.hpp"

namespace tutti::launcher {

class Watchdog;

/// Whether a process is part of the job. A rank's process may run several programs in turn that join.
struct Membership {
    bool joined = false;
    bool left = false;  // since it last joined
};

struct RankProcess {
    pid_t pid = -1;  // -1: not started
    bool running = false;
    Membership control;    // as the rank reports over its control channel
    Membership pmix;       // as its server of PMIx, or of PMI-1, reports
    std::string leaving_call;  // the call by which its program leaves; empty: unknown
    UniqueFd handle;       // a pidfd, as long as it runs

    bool has_joined() const noexcept { return control.joined || pmix.joined; }
    /// The rank's own report counts first: the PMIx server may be gone or too busy.
    bool has_left() const noexcept { return control.joined ? control.left : pmix.left; }
};

class ProcessTable {
public:
    explicit ProcessTable(Watchdog& watchdog);

    void resize(std::size_t ranks) { ranks_.resize(ranks); }
    /// A child of this process that has announced itself to the watchdog.
    void started(int rank, pid_t pid);
    /// Reaps all children that have ended: pid and wait status. Ranks come in the order of their ends: the
    /// first failure is the cause, the others are its consequences.
    std::vector<std::pair<pid_t, int>> reap();
    /// The rank whose process `pid` was; -1 for other processes.
    int ended(pid_t pid) noexcept;
    /// nullptr where the job has no such rank.
    RankProcess* find(int rank) noexcept;

    bool any_rank_runs() const noexcept { return running_ > 0; }
    /// Whether a process is left in a group that a rank led, its grandchildren included.
    bool any_group_lives() noexcept;
    /// Whether all processes that are left in such groups ignore the signal: it ends none of them.
    bool only_deaf_are_left(int signal) const;
    /// To all processes of all groups.
    void signal(int signal) noexcept;

private:
    Watchdog& watchdog_;
    UniqueFd exits_;  // an epoll set of the ranks' pidfds: the kernel lists them in order of their events
    std::vector<RankProcess> ranks_;
    std::set<pid_t> groups_;
    int running_ = 0;
};

}  // namespace tutti::launcher
