#include "launcher/local_daemon.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "launcher/daemon.hpp"

namespace tutti::launcher {

namespace {

constexpr std::chrono::milliseconds kPatience{3000};
/// A daemon needs less to end its ranks. One that is stopped does not end at all: it is killed, and then its
/// watchdog ends them.
constexpr std::chrono::milliseconds kDaemonPatience{10'000};

}  // namespace

LocalDaemon::LocalDaemon(int node, const security::Key& key, const InheritedState& inherited)
{
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        throw std::system_error(errno, std::generic_category(), "socketpair");
    }
    stream_.reset(ends[0]);
    UniqueFd daemon_end(ends[1]);
    // Should the daemon be killed, its watchdog becomes our child, and we wait until it has cleaned up.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_ = ::fork();
    if (pid_ < 0) {
        throw std::system_error(errno, std::generic_category(), "fork");
    }
    if (pid_ == 0) {
        stream_.reset();
        // The user's input and output are the head's business; stderr stays for libpmix's complaints.
        const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
        ::dup2(null.get(), STDIN_FILENO);
        ::dup2(null.get(), STDOUT_FILENO);
        ::_exit(run_daemon(std::move(daemon_end), {node, key, {}}, inherited));
    }
}

void LocalDaemon::wait() noexcept
{
    stream_.reset();
    const UniqueFd daemon(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    pollfd entry{daemon.get(), POLLIN, 0};
    if (daemon && ::poll(&entry, 1, static_cast<int>(kDaemonPatience.count())) == 0) {
        ::kill(pid_, SIGKILL);
    }
    ::waitpid(pid_, nullptr, 0);
    const auto give_up = std::chrono::steady_clock::now() + kPatience;
    while (::waitpid(-1, nullptr, WNOHANG) >= 0 && std::chrono::steady_clock::now() < give_up) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace tutti::launcher
