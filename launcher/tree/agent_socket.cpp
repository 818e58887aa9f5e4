#include "launcher/tree/agent_socket.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/syscall.h>

#include "launcher/base/open_files.hpp"

namespace tutti::launcher {

namespace {

/// A program's first descriptors; those above standard error are its own.
constexpr int kFirst = 3;
constexpr int kLast = 15;

bool is_tcp(int fd) noexcept
{
    int protocol = 0;
    socklen_t size = sizeof protocol;
    return ::getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0 && protocol == IPPROTO_TCP;
}

}  // namespace

bool disable_nagle(int process) noexcept
{
    bool any = false;
    for (int number = kFirst; number <= kLast; ++number) {
        const UniqueFd copy(static_cast<int>(::syscall(SYS_pidfd_getfd, process, number, 0U)));
        if (copy && is_tcp(copy.get())) {
            const int yes = 1;
            any = ::setsockopt(copy.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) == 0 || any;
        }
    }
    return any;
}

}  // namespace tutti::launcher
