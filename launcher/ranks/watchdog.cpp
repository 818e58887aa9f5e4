#include "launcher/ranks/watchdog.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "launcher/ranks/descendants.hpp"
#include "launcher/ranks/launcher_signals.hpp"
#include "launcher/ranks/session_directory.hpp"

namespace tutti::launcher {

namespace {

constexpr pid_t kOrderlyEnd = 0;  // no process group has this number
/// For processes that the daemon leaves behind to end by themselves: its agents' daemons have to clean up.
constexpr std::chrono::milliseconds kOrphansEndTimeout{2000};

class Watch {
public:
    Watch(pid_t daemon, UniqueFd pipe) : daemon_(daemon), pipe_(std::move(pipe))
    {
        sigset_t all;
        sigfillset(&all);
        ::sigprocmask(SIG_SETMASK, &all, nullptr);
        signals_ = open_signals({SIGCHLD, kKillDaemonSignal, SIGTERM, SIGINT, SIGHUP, SIGQUIT});
        ::fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
    }

    /// Returns the exit status.
    int run(const std::string& session_directory)
    {
        while (!daemon_has_ended()) {
            std::array<pollfd, 2> entries{pollfd{signals_.get(), POLLIN, 0},
                                          pollfd{pipe_ended_ ? -1 : pipe_.get(), POLLIN, 0}};
            ::poll(entries.data(), entries.size(), -1);
            read_groups();
            pass_on_signals();
        }
        read_groups();  // what it wrote last
        if (!orderly_) {
            for (const pid_t group : groups_)
                ::kill(-group, SIGKILL);
            end_descendants(kOrphansEndTimeout);
            remove_session_directory(session_directory);
        }
        return WIFEXITED(wait_status_) ? WEXITSTATUS(wait_status_) : 128 + WTERMSIG(wait_status_);
    }

private:
    bool daemon_has_ended()
    {
        int status = 0;
        pid_t pid = 0;
        while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
            if (pid == daemon_) {
                wait_status_ = status;
                return true;
            }
        }
        return false;
    }

    void read_groups()
    {
        pid_t message = kOrderlyEnd;
        ssize_t bytes = 0;
        while ((bytes = ::read(pipe_.get(), &message, sizeof message)) == sizeof message)
            if (message == kOrderlyEnd)
                orderly_ = true;
            else if (message > 0)
                groups_.insert(message);
            else
                groups_.erase(-message);
        pipe_ended_ = bytes == 0;
    }

    void pass_on_signals()
    {
        for (const int signal : read_signals(signals_)) {
            if (signal != SIGCHLD) {
                ::kill(daemon_, signal == kKillDaemonSignal ? SIGKILL : signal);
                ::kill(daemon_, SIGCONT);
            }
        }
    }

    pid_t daemon_;
    UniqueFd pipe_;
    UniqueFd signals_;
    std::set<pid_t> groups_;
    bool orderly_ = false;
    bool pipe_ended_ = false;
    int wait_status_ = 0;
};

}  // namespace

Watchdog::Watchdog(const std::string& session_directory)
{
    UniqueFd read_end;
    std::tie(read_end, pipe_) = make_pipe("pipe2");
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // before there are other processes
    const pid_t daemon = ::fork();
    if (daemon < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (daemon > 0) {
        ::setsid();                    // out of reach of a kill of the head's process group
        ::prctl(PR_SET_PDEATHSIG, 0);  // when the parent dies, the daemon ends by itself
        ::prctl(PR_SET_NAME, "tuttirun-watch");
        // A descriptor that stays open here would hide the daemon's death.
        read_end = keep_only(std::move(read_end));
        redirect_to_null({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
        remove_stale_session_directories();  // no process waits for this one
        ::_exit(Watch(daemon, std::move(read_end)).run(session_directory));
    }
}

Watchdog::~Watchdog()
{
    const pid_t message = kOrderlyEnd;
    [[maybe_unused]] const ssize_t bytes = ::write(pipe_.get(), &message, sizeof message);
}

// A pipe takes these few bytes whole or not at all. A dead watchdog (EPIPE; SIGPIPE is ignored) does not
// end the job.
void Watchdog::remove_group(pid_t process_group) noexcept
{
    const pid_t message = -process_group;
    [[maybe_unused]] const ssize_t bytes = ::write(pipe_.get(), &message, sizeof message);
}

}  // namespace tutti::launcher
