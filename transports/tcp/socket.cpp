#include "transports/tcp/socket.hpp"

#include <fmt/format.h>
#include <linux/tcp.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "transports/tcp/congestion.hpp"
#include "tutti/error.hpp"

namespace tutti::transport::tcp {

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
// TCP_RTO_MAX_MS, from Linux 6.15 on: headers are often older than the kernel.
constexpr int kTcpRtoMaxMs = 44;
constexpr int kLeastRtoMaxMs = 1000;

void set(int fd, int level, int name, int value) noexcept
{
    // A kernel that does not know an option works without it.
    setsockopt(fd, level, name, &value, sizeof value);
}

bool bind_to(int fd, const network::IpAddress& address, unsigned scope) noexcept
{
    socklen_t size = 0;
    const sockaddr_storage own = address.to_sockaddr(0, scope, size);
    return bind(fd, reinterpret_cast<const sockaddr*>(&own), size) == 0;
}

bool bind_anywhere(int fd, bool v4) noexcept
{
    set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    return bind_to(fd, *network::IpAddress::parse(v4 ? "0.0.0.0" : "::"), 0);
}

std::uint16_t port_of(const sockaddr_storage& address) noexcept
{
    // sin_port and sin6_port are at the same place.
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return ntohs(v4.sin_port);
}

}  // namespace

base::UniqueFd make_socket(bool v4) noexcept
{
    return base::UniqueFd(socket(v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// TCP_USER_TIMEOUT is not for us: it also ends connections to a peer that lives and computes for a while
// without reading. Keepalive looks after idle connections, Pulse after the others.
void set_options(int fd, const SocketOptions& options) noexcept
{
    const auto seconds = [&](int parts) {
        return std::max(1, static_cast<int>(options.timeout.count()) / parts / 1000);
    };
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, seconds(2));
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, seconds(10));
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, 5);
    // How rarely the kernel asks for a window that has been closed for long: only then a cut shows.
    set(fd, IPPROTO_TCP, kTcpRtoMaxMs,
        std::max(kLeastRtoMaxMs, static_cast<int>(options.timeout.count()) / 4));
    if (!options.congestion_control.empty())
        set_congestion_control(fd, options.congestion_control);
    if (options.buffer_bytes != 0) {
        set(fd, SOL_SOCKET, SO_SNDBUF, options.buffer_bytes);
        set(fd, SOL_SOCKET, SO_RCVBUF, options.buffer_bytes);
    }
}

// Linux acknowledges what makes the window no larger when it is read, so in the reader's time; but at once
// where the program waits for more.
void set_acknowledged_at_once(int fd, int bytes) noexcept
{
    set(fd, SOL_SOCKET, SO_RCVLOWAT, bytes);
}

bool bind_source(int fd, const network::IpAddress& address, unsigned scope) noexcept
{
    set(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);  // else all connections share the ports of one address
    return bind_to(fd, address, scope);
}

Listener make_listener(const SocketOptions& options, std::span<const network::LocalAddress> addresses)
{
    const network::LocalAddress* const only = addresses.size() == 1 ? &addresses.front() : nullptr;
    for (const bool v4 : {false, true}) {
        if (only != nullptr && only->address.is_v4() != v4)
            continue;
        base::UniqueFd fd = make_socket(v4);
        if (!fd && v4)
            break;
        // Buffers are inherited, and the window's size is agreed on when the connection is made.
        set_options(fd.get(), options);
        const auto is_bound = [&] {
            if (only == nullptr)
                return bind_anywhere(fd.get(), v4);
            return bind_to(fd.get(), only->address,
                           only->address.is_link_local() ? only->interface_index : 0);
        };
        sockaddr_storage bound{};
        socklen_t size = sizeof bound;
        if (fd && is_bound() && listen(fd.get(), SOMAXCONN) == 0 &&
            getsockname(fd.get(), reinterpret_cast<sockaddr*>(&bound), &size) == 0)
            return {std::move(fd), port_of(bound)};
    }
    throw Error(ErrorCode::system, "tcp", fmt::format("no port to listen on: {}", words_of(errno)));
}

std::optional<network::IpAddress> own_address_of(int fd)
{
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        return std::nullopt;
    return network::IpAddress::of(reinterpret_cast<const sockaddr&>(address));
}

std::string name_of_other_end(int fd)
{
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        return "an unknown address";
    const auto ip = network::IpAddress::of(reinterpret_cast<const sockaddr&>(address));
    return ip ? ip->with_port(port_of(address)) : "an unknown address";
}

std::string words_of(int error)
{
    std::string words = std::strerror(error);
    if (error == EMFILE || error == ENFILE) {
        rlimit limit{};
        getrlimit(RLIMIT_NOFILE, &limit);
        words += fmt::format(" (this process may have {}; raise the limit with ulimit -n)", limit.rlim_cur);
    }
    return words;
}

bool Pulse::all_arrived(int fd, std::int64_t now_ns) noexcept
{
    tcp_info info{};
    socklen_t size = sizeof info;
    const bool known = getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
    // Data without an acknowledgement, or with a closed window a question without an answer. The window
    // itself may stay closed for as long as the peer computes.
    const bool waiting = known && (info.tcpi_unacked != 0 || info.tcpi_probes != 0);
    if (!waiting) {
        since_ns_ = 0;
        return !known || info.tcpi_notsent_bytes == 0;
    }
    const std::int64_t acknowledged_ns = now_ns - std::int64_t{info.tcpi_last_ack_recv} * kNsPerMs;
    since_ns_ = since_ns_ == 0 ? now_ns : std::max(since_ns_, acknowledged_ns);
    return false;
}

}  // namespace tutti::transport::tcp
