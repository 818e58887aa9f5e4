#include "lib/foundation/control/channel.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <thread>

#include <catch2/catch.hpp>

using namespace tutti::control;
using tutti::base::UniqueFd;
using Fetch = Channel::Fetched::State;

namespace {

/// The daemon's end, and the rank's by its number, which a Channel is to own.
struct Ends {
    Ends()
    {
        std::array<int, 2> ends{};
        REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()) == 0);
        daemon.reset(ends[0]);
        rank = ends[1];
    }
    UniqueFd daemon;
    int rank = -1;
};

Packet next(const Ends& ends)
{
    Packet packet;
    while (receive(ends.daemon.get(), packet) == Arrival::nothing)
        std::this_thread::yield();
    return packet;
}

}  // namespace

TEST_CASE("a rank finds the channel that is its own")
{
    const Ends ends;
    setenv(kVariable, channel_variable(ends.rank, "job", 3).c_str(), 1);
    CHECK(Channel::inherited("job", 2) == nullptr);
    CHECK(Channel::inherited("other", 3) == nullptr);
    CHECK((fcntl(ends.rank, F_GETFD) & FD_CLOEXEC) == 0);
    const auto channel = Channel::inherited("job", 3);
    REQUIRE(channel != nullptr);
    CHECK((fcntl(ends.rank, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK(channel->joined());
    CHECK(next(ends).kind == Packet::Kind::joined);
    CHECK(channel->joined("MPI_Finalize"));
    CHECK(next(ends).name == "MPI_Finalize");
    unsetenv(kVariable);
    CHECK(Channel::inherited("job", 3) == nullptr);
}

TEST_CASE("a number that is another file's by now is no channel")
{
    const Ends ends;
    const std::string variable = channel_variable(ends.rank, "job", 0);
    const int other = open("/dev/null", O_RDWR);
    REQUIRE(dup2(other, ends.rank) == ends.rank);
    setenv(kVariable, variable.c_str(), 1);
    CHECK(Channel::inherited("job", 0) == nullptr);
    close(ends.rank);
    CHECK(Channel::inherited("job", 0) == nullptr);
    for (const char* const text : {"", "x", "4", "-1:", "999999999999999999999:0:0:job.0"}) {
        setenv(kVariable, text, 1);
        CHECK(Channel::inherited("job", 0) == nullptr);
    }
    unsetenv(kVariable);
    close(other);
}

TEST_CASE("a question has its own answer, not a late one of an earlier question")
{
    const Ends ends;
    Channel channel{UniqueFd(ends.rank)};
    CHECK(channel.fetch(1, "contact", std::chrono::milliseconds(1)).state == Fetch::missing);
    const Packet first = next(ends);
    CHECK(first.kind == Packet::Kind::fetch);
    CHECK(first.number == 1);
    CHECK(first.name == "contact");
    std::thread daemon([&] {
        const Packet second = next(ends);
        send(ends.daemon.get(), {.kind = Packet::Kind::found, .serial = first.serial, .bytes = "late"});
        send(ends.daemon.get(), {.kind = Packet::Kind::found, .serial = second.serial, .bytes = "right"});
    });
    const Channel::Fetched fetched = channel.fetch(2, "contact", std::chrono::seconds(20));
    daemon.join();
    CHECK(fetched.state == Fetch::found);
    CHECK(fetched.bytes == "right");
}

TEST_CASE("a forked child has no part in the channel, and without a daemon nothing is found")
{
    Ends ends;
    Channel channel{UniqueFd(ends.rank)};
    const pid_t child = fork();
    if (child == 0)
        _exit(channel.joined() || channel.fetch(0, "contact").state != Fetch::gone ? 1 : 0);
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    Packet packet;
    CHECK(receive(ends.daemon.get(), packet) == Arrival::nothing);
    ends.daemon.reset();
    CHECK(channel.fetch(0, "contact").state == Fetch::gone);
    CHECK_FALSE(channel.left());
}
