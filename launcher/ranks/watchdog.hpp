// The process above a daemon, which cleans up when the daemon dies without doing so: it kills the ranks'
// process groups, ends all other processes below, and removes the session directory.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>

#include "launcher/base/descriptors.hpp"

namespace tutti::launcher {

/// Tells a watchdog to kill its daemon, which does not answer. The watchdog passes signals that end a
/// program on to the daemon.
inline constexpr int kKillDaemonSignal = SIGUSR1;

class Watchdog {
public:
    /// Forks: the caller goes on in the child, as the daemon. The watchdog is its parent, inherits the
    /// daemon's children, and ends with the daemon's exit status. To be called before there are threads,
    /// with all signals blocked.
    explicit Watchdog(const std::string& session_directory);
    /// The orderly end: the watchdog has nothing to do.
    ~Watchdog();

    /// Where the leader of a process group writes its number, a pid_t, before it has children: so the
    /// watchdog knows all groups whenever the daemon is killed. Valid as long as this object.
    int group_pipe() const noexcept { return pipe_.get(); }
    /// To be called when the group is empty, since the kernel may use its number again.
    void remove_group(pid_t process_group) noexcept;

private:
    UniqueFd pipe_;
};

}  // namespace tutti::launcher
