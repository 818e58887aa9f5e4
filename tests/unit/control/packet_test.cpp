#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include <catch2/catch.hpp>

#include "lib/foundation/control/packet.hpp"

using namespace tutti::control;
using tutti::base::UniqueFd;

namespace {

struct Pair {
    Pair()
    {
        std::array<int, 2> ends{};
        REQUIRE(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0);
        first.reset(ends[0]);
        second.reset(ends[1]);
    }
    UniqueFd first;
    UniqueFd second;
};

ino_t inode_of(int descriptor)
{
    struct stat status {};
    return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

}  // namespace

TEST_CASE("packets arrive whole, in order, with all their parts")
{
    const Pair pair;
    const std::string bytes("with \0 zero\n", 12);
    REQUIRE(send(pair.first.get(), {.kind = Packet::Kind::deposit, .name = "contact", .bytes = bytes}));
    REQUIRE(send(pair.first.get(), {.kind = Packet::Kind::fetch, .number = -7, .serial = 9, .name = "x"}));
    Packet packet;
    REQUIRE(receive(pair.second.get(), packet) == Arrival::packet);
    CHECK(packet.kind == Packet::Kind::deposit);
    CHECK(packet.name == "contact");
    CHECK(packet.bytes == bytes);
    CHECK_FALSE(packet.descriptor);
    REQUIRE(receive(pair.second.get(), packet) == Arrival::packet);
    CHECK(packet.kind == Packet::Kind::fetch);
    CHECK(packet.number == -7);
    CHECK(packet.serial == 9);
    CHECK(packet.name == "x");
    CHECK(packet.bytes.empty());
    CHECK(receive(pair.second.get(), packet) == Arrival::nothing);
}

TEST_CASE("a descriptor arrives as another one of the same file, closed in programs that are executed")
{
    const Pair pair;
    const UniqueFd file(open("/dev/null", O_RDWR | O_CLOEXEC));
    REQUIRE(send(pair.first.get(), {.kind = Packet::Kind::deposit, .name = "file"}, file.get()));
    Packet packet;
    REQUIRE(receive(pair.second.get(), packet) == Arrival::packet);
    REQUIRE(packet.descriptor);
    CHECK(packet.descriptor.get() != file.get());
    CHECK(inode_of(packet.descriptor.get()) == inode_of(file.get()));
    CHECK((fcntl(packet.descriptor.get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("what a side has sent is there after it has ended, whether it has read everything or not")
{
    for (const bool unread : {false, true}) {
        Pair pair;
        REQUIRE(send(pair.first.get(), {.kind = Packet::Kind::left}));
        if (unread)
            REQUIRE(send(pair.second.get(), {.kind = Packet::Kind::missing}));
        pair.first.reset();
        Packet packet;
        REQUIRE(receive(pair.second.get(), packet) == Arrival::packet);
        CHECK(packet.kind == Packet::Kind::left);
        CHECK(receive(pair.second.get(), packet) == Arrival::ended);
        CHECK_FALSE(send(pair.second.get(), packet));
    }
}

TEST_CASE("what is no packet ends the channel")
{
    const std::string short_one(7, 'x');
    std::string lying(16, '\0');
    lying[12] = '\x7f';  // more bytes of name than there are
    const std::string long_one(kMaxPacketBytes + 1, 'x');
    for (const std::string& bytes : {short_one, lying, long_one}) {
        const Pair pair;
        REQUIRE(::send(pair.first.get(), bytes.data(), bytes.size(), 0) ==
                static_cast<ssize_t>(bytes.size()));
        Packet packet;
        CHECK(receive(pair.second.get(), packet) == Arrival::ended);
    }
    const Pair pair;
    CHECK_FALSE(send(pair.first.get(), {.bytes = std::string(kMaxPacketBytes, 'x')}));
}

TEST_CASE("who does not read loses packets where the sender does not wait")
{
    const Pair pair;
    int sent = 0;
    while (sent < 1'000'000 && send_now(pair.first.get(), {.bytes = std::string(1000, 'x')}))
        ++sent;
    CHECK(sent > 0);
    CHECK(sent < 1'000'000);
}
