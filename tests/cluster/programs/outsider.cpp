// Knocks at a port of a job as those do who do not belong to it. Arguments: the address and port to knock at,
// and how many seconds connections that say nothing are kept open.
//
// Ends with 0 when nobody let it in, with 1 when somebody did, or could not be reached.
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "lib/foundation/security/handshake.hpp"

using namespace tutti;

namespace {

struct Target {
    sockaddr_in address{};
};

/// -1 when it does not work: a job under attack may refuse.
int connect_to(const Target& target)
{
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    const auto* const address = reinterpret_cast<const sockaddr*>(&target.address);
    if (fd >= 0 && ::connect(fd, address, sizeof target.address) == 0)
        return fd;
    ::close(fd);
    return -1;
}

void send_all(int fd, std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0)
            return;  // dropped in the middle of it
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
}

/// What comes within a second; nothing when the other end closes.
std::size_t receive(int fd, std::span<std::byte> into)
{
    pollfd entry{fd, POLLIN, 0};
    if (::poll(&entry, 1, 1000) <= 0)
        return 0;
    const ssize_t got = ::recv(fd, into.data(), into.size(), 0);
    return got > 0 ? static_cast<std::size_t>(got) : 0;
}

void knock_with(const Target& target, std::span<const std::byte> bytes)
{
    const int fd = connect_to(target);
    if (fd < 0)
        return;
    send_all(fd, bytes);
    std::array<std::byte, 256> answer{};
    receive(fd, answer);
    ::close(fd);
}

void knock_with_garbage(const Target& target)
{
    std::mt19937 random(4);
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{64}, std::size_t{5000}, std::size_t{1'000'000}}) {
        std::vector<std::byte> bytes(size);
        for (std::byte& byte : bytes)
            byte = static_cast<std::byte>(random());
        knock_with(target, bytes);
        knock_with(target, std::vector<std::byte>(size, std::byte{0xff}));
        knock_with(target, std::vector<std::byte>(size));
    }
    const std::string http = "GET / HTTP/1.1\r\nHost: somebody\r\n\r\n";
    knock_with(target, std::as_bytes(std::span(http)));
}

/// Speaks as one of the job would, with another key. True when that was believed.
bool knock_with_key(const Target& target, std::uint32_t version, security::Identity self,
                    security::Identity peer)
{
    const int fd = connect_to(target);
    if (fd < 0)
        return false;
    const security::Key key = security::Key::random();
    auto handshake = security::Handshake::dial(key, version, self, peer);
    std::array<std::byte, security::Handshake::kMostBytes> bytes{};
    while (handshake.state() == security::Handshake::State::under_way) {
        const auto out = handshake.outgoing();
        send_all(fd, out);
        handshake.sent(out.size());
        const std::size_t size = receive(fd, bytes);
        if (size == 0)
            break;
        handshake.take(std::span(bytes).first(size));
    }
    ::close(fd);
    return handshake.state() == security::Handshake::State::proved;
}

/// The beginning of a hello, and then nothing.
int half_a_hello(const Target& target)
{
    const int fd = connect_to(target);
    if (fd < 0)
        return fd;
    const security::Key key = security::Key::random();
    const auto handshake = security::Handshake::dial(key, 1, {security::Identity::Kind::rank, 1},
                                                     {security::Identity::Kind::rank, 0});
    const auto hello = handshake.outgoing();
    send_all(fd, hello.first(hello.size() / 2));
    return fd;
}

}  // namespace

int main(int argc, char** argv)
{
    Target target;
    target.address.sin_family = AF_INET;
    if (argc != 4 || ::inet_pton(AF_INET, argv[1], &target.address.sin_addr) != 1) {
        std::fprintf(stderr, "usage: outsider ADDRESS PORT SECONDS\n");
        return 2;
    }
    target.address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(argv[2])));
    const int first = connect_to(target);
    if (first < 0) {
        std::perror("outsider: connect");
        return 1;
    }
    std::vector<int> silent{first};
    knock_with_garbage(target);
    bool believed = false;
    for (const auto kind : {security::Identity::Kind::rank, security::Identity::Kind::daemon}) {
        const security::Identity head{security::Identity::Kind::head, 0};
        const security::Identity rank{security::Identity::Kind::rank, 0};
        for (const std::uint32_t version : {0u, 1u, 2u, 0x74640001u, 0xffffffffu})
            believed = knock_with_key(target, version, {kind, 1},
                                      kind == security::Identity::Kind::rank ? rank : head) ||
                       believed;
    }
    for (int i = 0; i < 2000; ++i)
        ::close(connect_to(target));
    for (int i = 0; i < 100; ++i) {
        silent.push_back(connect_to(target));
        silent.push_back(half_a_hello(target));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(static_cast<int>(std::atof(argv[3]) * 1000)));
    if (believed)
        std::fprintf(stderr, "outsider: somebody let me in\n");
    return believed ? 1 : 0;
}
