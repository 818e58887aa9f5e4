#include "launcher/doctor/probe.hpp"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "lib/foundation/network/candidates.hpp"

namespace tutti::launcher::doctor {
namespace {

using base::UniqueFd;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kConnectPatience{2000};
constexpr std::chrono::seconds kSilencePatience{3};
constexpr int kRoundTrips = 200;
constexpr int kWarmUpTrips = 20;
constexpr std::chrono::milliseconds kStreamTime{100};
constexpr std::size_t kPieceBytes = 256 << 10;
/// A probe does not last longer, however slow the way.
constexpr std::chrono::seconds kLongestProbe{5};

[[noreturn]] void fail(const char* call)
{
    throw std::system_error(errno, std::generic_category(), call);
}

/// A blocking stream that never waits long for its other end.
void prepare(int fd)
{
    const timeval patience{kSilencePatience.count(), 0};
    const int on = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void send_all(int fd, const void* bytes, std::size_t size)
{
    const auto* at = static_cast<const char*>(bytes);
    while (size > 0) {
        const ssize_t sent = ::send(fd, at, size, MSG_NOSIGNAL);
        if (sent <= 0)
            fail("send");
        at += sent;
        size -= static_cast<std::size_t>(sent);
    }
}

/// At least one byte; 0 at the end of the stream.
std::size_t receive_some(int fd, void* bytes, std::size_t size)
{
    const ssize_t received = ::recv(fd, bytes, size, 0);
    if (received < 0)
        fail("receive");
    return static_cast<std::size_t>(received);
}

void receive_all(int fd, void* bytes, std::size_t size)
{
    auto* at = static_cast<char*>(bytes);
    while (size > 0) {
        const std::size_t received = receive_some(fd, at, size);
        if (received == 0)
            throw std::runtime_error("the other end closed the connection");
        at += received;
        size -= received;
    }
}

/// Throws when the other end does not prove itself.
void shake_hands(int fd, security::Handshake& handshake)
{
    std::array<std::byte, security::Handshake::kMostBytes> buffer;
    while (true) {
        while (!handshake.outgoing().empty()) {
            const auto bytes = handshake.outgoing();
            send_all(fd, bytes.data(), bytes.size());
            handshake.sent(bytes.size());
        }
        if (handshake.state() != security::Handshake::State::under_way)
            break;
        const std::size_t received =
            receive_some(fd, buffer.data(), std::min(buffer.size(), handshake.wanted()));
        if (received == 0)
            throw std::runtime_error("the other end closed the connection");
        handshake.take({buffer.data(), received});
    }
    if (handshake.state() != security::Handshake::State::proved)
        throw std::runtime_error(std::string(handshake.reason()));
}

void answer_probe(int fd)
{
    const auto give_up = Clock::now() + kLongestProbe;
    for (int trip = 0; trip < kWarmUpTrips + kRoundTrips; ++trip) {
        char byte = 0;
        receive_all(fd, &byte, 1);
        send_all(fd, &byte, 1);
    }
    std::vector<char> buffer(kPieceBytes);
    std::uint64_t total = 0;
    while (Clock::now() < give_up) {
        const std::size_t received = receive_some(fd, buffer.data(), buffer.size());
        total += received;
        if (received == 0) {
            send_all(fd, &total, sizeof total);
            return;
        }
    }
}

/// Median of half the round trips.
double measure_latency(int fd)
{
    std::vector<double> trips;
    for (int trip = 0; trip < kWarmUpTrips + kRoundTrips; ++trip) {
        char byte = 1;
        const auto begin = Clock::now();
        send_all(fd, &byte, 1);
        receive_all(fd, &byte, 1);
        trips.push_back(std::chrono::duration<double>(Clock::now() - begin).count() / 2);
    }
    trips.erase(trips.begin(), trips.begin() + kWarmUpTrips);
    std::ranges::nth_element(trips, trips.begin() + kRoundTrips / 2);
    return trips[kRoundTrips / 2];
}

double measure_bandwidth(int fd)
{
    const std::vector<char> piece(kPieceBytes);
    const auto begin = Clock::now();
    std::uint64_t sent = 0;
    while (Clock::now() < begin + kStreamTime) {
        send_all(fd, piece.data(), piece.size());
        sent += piece.size();
    }
    ::shutdown(fd, SHUT_WR);
    std::uint64_t arrived = 0;
    receive_all(fd, &arrived, sizeof arrived);
    if (arrived != sent)
        throw std::runtime_error("bytes were lost");
    return static_cast<double>(arrived) / std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Connects within the patience, or throws.
UniqueFd connect_by(const network::Candidate& way, std::uint16_t port)
{
    socklen_t size = 0;
    const sockaddr_storage to = way.to.address.to_sockaddr(port, way.scope(), size);
    UniqueFd fd(::socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd)
        fail("socket");
    socklen_t from_size = 0;
    const sockaddr_storage from = way.from.address.to_sockaddr(0, way.scope(), from_size);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&from), from_size) != 0)
        fail("bind");
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), size) != 0 && errno != EINPROGRESS)
        fail("connect");
    pollfd entry{fd.get(), POLLOUT, 0};
    if (::poll(&entry, 1, static_cast<int>(kConnectPatience.count())) == 0) {
        errno = ETIMEDOUT;
        fail("connect");
    }
    int error = 0;
    socklen_t error_size = sizeof error;
    ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &error_size);
    if (error != 0) {
        errno = error;
        fail("connect");
    }
    ::fcntl(fd.get(), F_SETFL, 0);
    prepare(fd.get());
    return fd;
}

}  // namespace

ProbeServer::ProbeServer(const security::Key& key, int node)
    : key_(key),
      node_(node),
      socket_(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      stop_(::eventfd(0, EFD_CLOEXEC))
{
    sockaddr_storage address{};
    socklen_t size = sizeof(sockaddr_in6);
    if (socket_) {
        const int off = 0;
        ::setsockopt(socket_.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
        address.ss_family = AF_INET6;
    } else {
        socket_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        address.ss_family = AF_INET;
        size = sizeof(sockaddr_in);
    }
    auto* const bare = reinterpret_cast<sockaddr*>(&address);
    if (!stop_ || !socket_ || ::bind(socket_.get(), bare, size) != 0 || ::listen(socket_.get(), 16) != 0 ||
        ::getsockname(socket_.get(), bare, &size) != 0)
        fail("cannot open a port for probes");
    port_ = ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                                : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
    thread_ = std::thread([this] { serve(); });
}

ProbeServer::~ProbeServer()
{
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t bytes = ::write(stop_.get(), &one, sizeof one);
    thread_.join();
}

void ProbeServer::serve()
{
    while (true) {
        std::array<pollfd, 2> entries = {{{socket_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
        if (::poll(entries.data(), entries.size(), -1) < 0 && errno != EINTR)
            return;
        if (entries[1].revents != 0)
            return;
        const UniqueFd guest(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!guest)
            continue;
        try {
            prepare(guest.get());
            auto handshake = security::Handshake::listen(
                key_, kProbeProtocol, {security::Identity::Kind::daemon, static_cast<std::uint32_t>(node_)});
            shake_hands(guest.get(), handshake);
            answer_probe(guest.get());
        } catch (const std::exception&) {
            // A stranger, or a peer that has gone; the one who asked sees it, too, and tells.
        }
    }
}

ProbeResult probe(const security::Key& key, int node, std::span<const network::LocalAddress> mine,
                  const ProbeTask& task)
{
    using security::Identity;
    ProbeResult result;
    result.peer = task.peer;
    for (const network::Candidate& way : network::candidates(mine, task.addresses)) {
        try {
            const UniqueFd fd = connect_by(way, task.port);
            auto handshake = security::Handshake::dial(
                key, kProbeProtocol, {Identity::Kind::daemon, static_cast<std::uint32_t>(node)},
                {Identity::Kind::daemon, static_cast<std::uint32_t>(task.peer)});
            shake_hands(fd.get(), handshake);
            result.latency_seconds = measure_latency(fd.get());
            result.bytes_per_second = measure_bandwidth(fd.get());
            result.way = way.describe();
            result.reached = true;
            return result;
        } catch (const std::system_error& error) {
            result.failed.push_back(fmt::format("{}: {}", way.describe(), error.code().message()));
        } catch (const std::exception& error) {
            result.failed.push_back(fmt::format("{}: {}", way.describe(), error.what()));
        }
    }
    return result;
}

}  // namespace tutti::launcher::doctor
