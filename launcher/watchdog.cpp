#include "launcher/watchdog.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <set>
#include <system_error>

#include "launcher/session_directory.hpp"

namespace tutti::launcher {

namespace {

constexpr pid_t kOrderlyEnd = 0;  // no process group has this number

/// Everything but the pipe is closed: a descriptor kept here would keep the daemon's death from being seen.
void keep_only(int pipe_end)
{
    if (pipe_end != 3) {
        ::dup2(pipe_end, 3);
    }
    ::close_range(4, ~0U, 0);
    const int null = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) {
        ::dup2(null, fd);
    }
    ::close(null);
}

[[noreturn]] void watch(int pipe_end, const std::string& session_directory)
{
    ::setsid();  // out of reach of a kill of the daemon's process group
    keep_only(pipe_end);
    std::set<pid_t> groups;
    pid_t message = kOrderlyEnd;
    ssize_t bytes = 0;
    while ((bytes = ::read(3, &message, sizeof message)) != 0) {
        if (bytes < 0 && errno == EINTR) {
            continue;
        }
        if (bytes != sizeof message || message == kOrderlyEnd) {
            ::_exit(0);
        }
        if (message > 0) {
            groups.insert(message);
        } else {
            groups.erase(-message);
        }
    }
    for (const pid_t group : groups) {
        ::kill(-group, SIGKILL);
    }
    remove_session_directory(session_directory);
    ::_exit(0);
}

}  // namespace

Watchdog::Watchdog(const std::string& session_directory)
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    UniqueFd read_end(ends[0]);
    pipe_.reset(ends[1]);
    pid_ = ::fork();
    if (pid_ < 0) {
        throw std::system_error(errno, std::generic_category(), "fork");
    }
    if (pid_ == 0) {
        pipe_.reset();
        watch(read_end.get(), session_directory);
    }
}

Watchdog::~Watchdog()
{
    const pid_t message = kOrderlyEnd;
    [[maybe_unused]] const ssize_t bytes = ::write(pipe_.get(), &message, sizeof message);
    pipe_.reset();
    ::waitpid(pid_, nullptr, 0);
}

// A pipe takes these few bytes at once or not at all. A dead watchdog (EPIPE; SIGPIPE is ignored) is no
// reason to end a job that runs well.
void Watchdog::remove_group(pid_t process_group) noexcept
{
    const pid_t message = -process_group;
    [[maybe_unused]] const ssize_t bytes = ::write(pipe_.get(), &message, sizeof message);
}

}  // namespace tutti::launcher
