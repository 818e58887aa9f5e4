#include "launcher/daemon/local_daemon.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <tuple>
#include <utility>

#include "launcher/daemon/daemon.hpp"
#include "launcher/ranks/descendants.hpp"
#include "launcher/ranks/watchdog.hpp"

namespace tutti::launcher {

namespace {

/// For a watchdog to clean up after a daemon that was killed. It needs less.
constexpr std::chrono::milliseconds kWatchdogTimeout{6000};
/// For processes that no watchdog ends to end by themselves.
constexpr std::chrono::milliseconds kOrphansTimeout{2000};

}  // namespace

LocalDaemon::LocalDaemon(int node, const security::Key& key, const InheritedState& inherited)
{
    UniqueFd daemon_end;
    std::tie(stream_, daemon_end) = make_socket_pair(SOCK_STREAM, "socketpair");
    // When daemon and watchdog are killed, their processes become children of this one.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    watchdog_ = ::fork();
    if (watchdog_ < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (watchdog_ == 0) {
        stream_.reset();
        // The head has the user's input and output. stderr stays open for libpmix's messages.
        redirect_to_null({STDIN_FILENO, STDOUT_FILENO});
        ::_exit(run_daemon(std::move(daemon_end), {node, key, {}}, inherited, session_directory_));
    }
}

void LocalDaemon::wait(std::chrono::milliseconds timeout) noexcept
{
    if (watchdog_ <= 0)
        return;
    stream_.reset();
    const UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, watchdog_, 0)));
    pollfd entry{handle.get(), POLLIN, 0};
    const auto ends_within = [&](std::chrono::milliseconds time) {
        return !handle || ::poll(&entry, 1, static_cast<int>(time.count())) != 0;
    };
    if (!ends_within(timeout)) {
        ::kill(watchdog_, kKillDaemonSignal);
        if (!ends_within(kWatchdogTimeout))
            ::kill(watchdog_, SIGKILL);
    }
    int status = 0;
    if (::waitpid(std::exchange(watchdog_, -1), &status, 0) > 0 && WIFSIGNALED(status))
        end_descendants(kOrphansTimeout);
    remove_session_directory(session_directory_);
}

}  // namespace tutti::launcher
