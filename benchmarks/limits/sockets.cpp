#include "benchmarks/limits/sockets.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/limits/limits.hpp"
#include "benchmarks/limits/pair.hpp"
#include "benchmarks/suite/measure/benchmark_clock.hpp"

namespace tutti::bench {

namespace {

constexpr std::size_t kMovedBytes = 32u << 20;  // at each size
constexpr int kMostMessages = 4'000;
constexpr std::size_t kSizes[] = {1, 1024, 16384, 65536, 262144, 1048576, 4194304};

int checked(int result, const char* call)
{
    if (result < 0)
        throw std::runtime_error(fmt::format("sockets: {} failed: {}", call, std::strerror(errno)));
    return result;
}

// Both versions of IP.
sockaddr_in6 anywhere(unsigned short port)
{
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    return address;
}

int messages_of(std::size_t size_bytes, ProbeScale scale)
{
    return scale.loops(static_cast<int>(std::min<std::size_t>(kMovedBytes / size_bytes, kMostMessages)));
}

}  // namespace

ProbeSocket::ProbeSocket(int fd) : fd_(fd)
{
    const int on = 1;
    checked(setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "setsockopt");
    checked(fcntl(fd_, F_SETFL, O_NONBLOCK), "fcntl");
}

ProbeSocket::ProbeSocket(ProbeSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

ProbeSocket::~ProbeSocket()
{
    if (fd_ >= 0)
        close(fd_);
}

std::size_t ProbeSocket::send_some(std::span<const std::byte> data) const
{
    const ssize_t sent = ::send(fd_, data.data(), data.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN)
        checked(-1, "send");
    return sent < 0 ? 0 : static_cast<std::size_t>(sent);
}

std::size_t ProbeSocket::receive_some(std::span<std::byte> data) const
{
    const ssize_t got = recv(fd_, data.data(), data.size(), 0);
    if (got == 0)
        throw std::runtime_error("sockets: the other end has closed the connection");
    if (got < 0 && errno != EAGAIN)
        checked(-1, "recv");
    return got < 0 ? 0 : static_cast<std::size_t>(got);
}

void ProbeSocket::send(std::span<const std::byte> data) const
{
    while (!data.empty())
        data = data.subspan(send_some(data));
}

void ProbeSocket::receive(std::span<std::byte> data) const
{
    while (!data.empty())
        data = data.subspan(receive_some(data));
}

int listen_for_probe(unsigned short& port)
{
    const int listener = checked(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    const int off = 0;
    checked(setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off), "setsockopt");
    sockaddr_in6 address = anywhere(port);
    checked(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), "bind");
    checked(listen(listener, 4), "listen");
    socklen_t size = sizeof address;
    checked(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
    port = ntohs(address.sin6_port);
    return listener;
}

std::vector<ProbeSocket> accept_probes(int listener, std::size_t count)
{
    std::vector<ProbeSocket> accepted;
    while (accepted.size() < count)
        accepted.emplace_back(checked(accept(listener, nullptr, nullptr), "accept"));
    close(listener);
    return accepted;
}

ProbeSocket accept_probe(int listener)
{
    return std::move(accept_probes(listener, 1).front());
}

ProbeSocket connect_probe(const char* address, unsigned short port)
{
    sockaddr_in6 there = anywhere(port);
    in_addr v4{};
    const bool is_v4 = inet_pton(AF_INET, address, &v4) == 1;
    const std::string mapped = fmt::format("{}{}", is_v4 ? "::ffff:" : "", address);
    if (inet_pton(AF_INET6, mapped.c_str(), &there.sin6_addr) != 1)
        throw std::runtime_error(fmt::format("sockets: '{}' is no IP address", address));
    const int fd = checked(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    checked(connect(fd, reinterpret_cast<const sockaddr*>(&there), sizeof there), "connect");
    return ProbeSocket(fd);
}

double socket_latency_us(const ProbeSocket& socket, bool first, std::size_t size_bytes, int loops)
{
    std::vector<std::byte> data(size_bytes);
    const int warm_up = loops / 10 + 1;
    double start = 0;
    for (int i = -warm_up; i < loops; ++i) {
        if (i == 0)
            start = now_us();
        if (first)
            socket.send(data);
        socket.receive(data);
        if (!first)
            socket.send(data);
    }
    return (now_us() - start) / loops / 2;
}

double socket_stream_us(const ProbeSocket& socket, bool sends, std::size_t size_bytes, int loops)
{
    std::vector<std::byte> data(size_bytes);
    const int warm_up = loops / 10 + 1;
    double start = 0;
    for (int i = -warm_up; i < loops; ++i) {
        if (i == 0)
            start = now_us();
        if (sends)
            socket.send(data);
        else
            socket.receive(data);
    }
    // The last message has arrived when its answer has.
    if (sends)
        socket.receive(std::span(data).first(1));
    else
        socket.send(std::span(data).first(1));
    return (now_us() - start) / loops;
}

void probe_sockets(const TakeFigure& figures, ProbeScale scale)
{
    const auto [own, other] = two_cores();
    const auto over_loopback = [&](const std::function<double(const ProbeSocket&, bool)>& probe) {
        unsigned short port = 0;
        const int listener = listen_for_probe(port);
        return with_child(
            own, other, [&] { return probe(accept_probe(listener), true); },
            [&] { probe(connect_probe("127.0.0.1", port), false); });
    };
    for (const std::size_t size_bytes : kSizes) {
        const int loops = messages_of(size_bytes, scale);
        figures("socket latency", static_cast<double>(size_bytes),
                over_loopback([=](const ProbeSocket& socket, bool first) {
                    return socket_latency_us(socket, first, size_bytes, loops);
                }),
                "us");
    }
    for (const std::size_t size_bytes : kSizes) {
        const double us = over_loopback([=](const ProbeSocket& socket, bool first) {
            return socket_stream_us(socket, first, size_bytes, 4 * messages_of(size_bytes, scale));
        });
        figures("socket stream", static_cast<double>(size_bytes), static_cast<double>(size_bytes) / us,
                "MB/s");
    }
}

}  // namespace tutti::bench
