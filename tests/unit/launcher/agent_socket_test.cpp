// A process's connections are reached from outside: those of TCP, and no others.
#include "launcher/tree/starter.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "launcher/base/descriptors.hpp"

using namespace tutti::launcher;

namespace {

int no_delay(int fd)
{
    int value = -1;
    socklen_t size = sizeof value;
    ::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, &size);
    return value;
}

}  // namespace

TEST_CASE("Nagle's algorithm is turned off at a process's TCP connections", "[agent_socket]")
{
    const UniqueFd self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
    if (!UniqueFd(static_cast<int>(::syscall(SYS_pidfd_getfd, self.get(), 0, 0U)))) {
        WARN("skipped: this kernel, or what confines this process, allows no pidfd_getfd");
        return;
    }
    const UniqueFd datagrams(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const UniqueFd local(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    CHECK_FALSE(disable_nagle(self.get()));
    const UniqueFd connection(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(connection.get() < 16);
    CHECK(no_delay(connection.get()) == 0);
    CHECK(disable_nagle(self.get()));
    CHECK(no_delay(connection.get()) == 1);
    CHECK_FALSE(disable_nagle(-1));
}
