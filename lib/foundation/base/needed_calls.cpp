#include "lib/foundation/base/needed_calls.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <span>

#include <fmt/format.h>

namespace tutti::base {

namespace {

struct Call {
    const char* name;
    long number;
    long arguments[4];            // with which an allowed call does nothing
    bool may_be_missing = false;  // the C library has another one then
};

constexpr long kNoFlags = ~0U;  // no such flags

#ifdef SYS_epoll_wait
constexpr Call kEpollWait{"epoll_wait", SYS_epoll_wait, {-1, 0, 0, 0}};
#else
constexpr Call kEpollWait{"epoll_pwait", SYS_epoll_pwait, {-1, 0, 0, 0}};
#endif
constexpr Call kEpollCtl{"epoll_ctl", SYS_epoll_ctl, {-1, EPOLL_CTL_DEL, -1}};
constexpr Call kWrite{"write", SYS_write, {-1}};

constexpr Call kCallsOfRanks[] = {kWrite};
// Calls of libpmix's thread in each rank, which would not end where they fail.
constexpr Call kCallsOfLibpmix[] = {kEpollCtl, kEpollWait};
constexpr Call kCallsOfLauncher[] = {
    kWrite,
    kEpollCtl,
    kEpollWait,
#ifdef SYS_dup2
    {"dup2", SYS_dup2, {-1, -1}},
#else
    {"dup3", SYS_dup3, {-1, -1}},
#endif
    {"fcntl", SYS_fcntl, {-1, F_GETFD}},
    {"ioctl", SYS_ioctl, {-1}},
    {"pipe2", SYS_pipe2, {0, kNoFlags}},
    {"pselect6", SYS_pselect6, {-1}},
    {"epoll_create1", SYS_epoll_create1, {kNoFlags}},
    {"eventfd2", SYS_eventfd2, {0, kNoFlags}},
    {"signalfd4", SYS_signalfd4, {-1}},
    {"socket", SYS_socket, {-1}},
    {"socketpair", SYS_socketpair, {-1}},
    {"bind", SYS_bind, {-1}},
    {"listen", SYS_listen, {-1}},
    {"accept4", SYS_accept4, {-1}},
    {"getsockname", SYS_getsockname, {-1}},
    {"setsockopt", SYS_setsockopt, {-1}},
    {"sendto", SYS_sendto, {-1}},
    {"recvfrom", SYS_recvfrom, {-1}},
    {"recvmsg", SYS_recvmsg, {-1}},
    {"getdents64", SYS_getdents64, {-1}},
#ifdef SYS_access
    {"access", SYS_access, {}},
#endif
    {"getpid", SYS_getpid, {}},
    {"getppid", SYS_getppid, {}},
    {"wait4", SYS_wait4, {-1, 0, kNoFlags}},
#ifdef SYS_clone3
    {"clone3", SYS_clone3, {}, true},
#endif
    {"rt_sigprocmask", SYS_rt_sigprocmask, {SIG_BLOCK, 0, 0, 8}},
};

bool is_denied(const Call& call)
{
    const long* const a = call.arguments;
    if (::syscall(call.number, a[0], a[1], a[2], a[3], 0, 0) >= 0)
        return false;
    return errno == EPERM || errno == EACCES || (errno == ENOSYS && !call.may_be_missing);
}

// Whether the call that ends a thread is denied. Only a try shows it, which a child makes.
bool exit_is_denied()
{
    static volatile bool goes_on = false;
    const pid_t child = ::vfork();
    if (child == 0) {
        ::syscall(SYS_exit, 0);
        goes_on = true;
        ::_exit(0);
    }
    if (child > 0)
        ::waitpid(child, nullptr, 0);
    return goes_on;
}

std::span<const Call> calls_of(Caller caller)
{
    switch (caller) {
        case Caller::launcher:
            return kCallsOfLauncher;
        case Caller::rank:
            return kCallsOfRanks;
        case Caller::libpmix:
            return kCallsOfLibpmix;
    }
    return {};
}

}  // namespace

std::optional<std::string> denied_calls(Caller caller)
{
    std::string names;
    const auto add = [&](const char* name) { names += (names.empty() ? "" : ", ") + std::string(name); };
    for (const Call& call : calls_of(caller))
        if (is_denied(call))
            add(call.name);
    if (caller == Caller::launcher) {
        if (::kill(::getpid(), 0) != 0)
            add("kill");
        if (names.empty() && exit_is_denied())
            add("exit");
    }
    if (names.empty())
        return std::nullopt;
    return fmt::format(
        "this system denies calls that cannot be done without: {}; a filter (seccomp), of a container or a "
        "service, has to allow them",
        names);
}

void say_without_write(const std::string& line) noexcept
{
    const iovec part{const_cast<char*>(line.data()), line.size()};
    [[maybe_unused]] const ssize_t bytes = ::writev(STDERR_FILENO, &part, 1);
}

}  // namespace tutti::base
