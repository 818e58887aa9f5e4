#include "launcher/doctor/host_probe.hpp"

#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

#include <fmt/format.h>

#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/connection/dialer.hpp"

namespace tutti::launcher::doctor {
namespace {

using base::UniqueFd;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::nanoseconds kConnectPatience = std::chrono::seconds(2);
constexpr std::chrono::nanoseconds kProofPatience = std::chrono::seconds(5);
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
void make_blocking(int fd)
{
    const timeval patience{kSilencePatience.count(), 0};
    const int on = 1;
    ::fcntl(fd, F_SETFL, 0);
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

connection::ConnectionOptions options_of(const security::Key& key, int node)
{
    return {.key = key,
            .version = kProbeProtocol,
            .self = {security::Identity::Kind::daemon, static_cast<std::uint32_t>(node)},
            .timeout_ns = kConnectPatience.count()};
}

}  // namespace

ProbeServer::ProbeServer(const security::Key& key, int node)
    : options_(options_of(key, node)),
      listener_(options_, poller_, {}, {}, *this),
      stop_(::eventfd(0, EFD_CLOEXEC))
{
    if (!stop_ || !poller_.watch(stop_.get(), EPOLLIN, stop_watch_))
        fail("cannot stop a port for probes");
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
        const auto events = poller_.wait(-1);
        for (const epoll_event& event : events)
            if (event.data.ptr == &stop_watch_)
                return;
        listener_.serve(events);
    }
}

void ProbeServer::arrived(connection::PendingConnection& pending)
{
    const UniqueFd fd = listener_.take(pending)->release();
    try {
        make_blocking(fd.get());
        answer_probe(fd.get());
    } catch (const std::exception&) {
        // A peer that has gone: the daemon that asked notices, too, and reports it.
    }
}

ProbeResult probe(const security::Key& key, int node, std::span<const network::LocalAddress> mine,
                  const ProbeTask& task)
{
    const connection::ConnectionOptions options = options_of(key, node);
    const security::Identity peer{security::Identity::Kind::daemon, static_cast<std::uint32_t>(task.peer)};
    ProbeResult result;
    result.peer = task.peer;
    for (const network::Candidate& way : network::candidates(mine, task.addresses)) {
        connection::Poller poller;
        connection::Dialer dialer(options, poller, peer, task.port, {way});
        const auto reached = dialer.wait(base::now_ns() + kProofPatience.count());
        if (reached == nullptr) {
            result.failed.push_back(dialer.failure());
            continue;
        }
        try {
            const UniqueFd fd = reached->release();
            make_blocking(fd.get());
            result.latency_seconds = measure_latency(fd.get());
            result.bytes_per_second = measure_bandwidth(fd.get());
            result.way = way.describe();
            result.reached = true;
            return result;
        } catch (const std::exception& error) {
            result.failed.push_back(fmt::format("{}: {}", way.describe(), error.what()));
        }
    }
    return result;
}

}  // namespace tutti::launcher::doctor
