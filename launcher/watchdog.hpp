// The process that cleans up after a daemon that was killed with SIGKILL: it kills the ranks' process groups,
// grandchildren included, and removes the session directory.
#pragma once

#include <sys/types.h>

#include <string>

#include "launcher/unique_fd.hpp"

namespace tutti::launcher {

class Watchdog {
public:
    /// Forks. To be called before the daemon has threads, and with all signals blocked.
    explicit Watchdog(const std::string& session_directory);
    /// The orderly end: the watchdog exits without touching anything. Waits for it.
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    pid_t pid() const noexcept { return pid_; }
    /// Where a process that leads a group writes its number, a pid_t, before it has children: so no group
    /// goes unnoticed, whenever the daemon is killed. As long as this lives.
    int group_pipe() const noexcept { return pipe_.get(); }
    /// To be called when the group is empty: its number may soon be somebody else's.
    void remove_group(pid_t process_group) noexcept;

private:
    UniqueFd pipe_;
    pid_t pid_ = -1;
};

}  // namespace tutti::launcher
