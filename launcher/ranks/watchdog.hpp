// The process above a daemon that cleans up when the daemon dies without having done so: it kills the ranks'
// process groups, ends whatever else the daemon leaves behind, and removes the session directory.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>

#include "launcher/base/unique_fd.hpp"

namespace tutti::launcher {

/// Sent to a watchdog: its daemon does not answer, and is to be killed. Signals that end a program are passed
/// on to the daemon.
inline constexpr int kKillDaemonSignal = SIGUSR1;

class Watchdog {
public:
    /// Forks: the caller goes on in the child, as the daemon. The watchdog is its parent, so that all that
    /// the daemon leaves behind becomes the watchdog's, and ends with the daemon's exit status. To be called
    /// before there are threads, and with all signals blocked that one may send.
    explicit Watchdog(const std::string& session_directory);
    /// The orderly end: the watchdog touches nothing.
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// Where a process that leads a group writes its number, a pid_t, before it has children: so no group
    /// goes unnoticed, whenever the daemon is killed. As long as this lives.
    int group_pipe() const noexcept { return pipe_.get(); }
    /// To be called when the group is empty: its number may soon be somebody else's.
    void remove_group(pid_t process_group) noexcept;

private:
    UniqueFd pipe_;
};

}  // namespace tutti::launcher
