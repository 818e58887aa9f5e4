#include "lib/foundation/connection/socket.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

#include "tutti/error.hpp"

namespace tutti::connection {

namespace {

base::UniqueFd make_prepared(bool v4, const ConnectionOptions& options)
{
    base::UniqueFd fd = make_socket(v4);
    if (fd && options.prepare)
        options.prepare(fd.get());
    return fd;
}

bool bind_to(int fd, const network::IpAddress& address, unsigned scope) noexcept
{
    socklen_t size = 0;
    const sockaddr_storage own = address.to_sockaddr(0, scope, size);
    return bind(fd, reinterpret_cast<const sockaddr*>(&own), size) == 0;
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

// The program also works with a kernel that does not know an option.
void set_option(int fd, int level, int name, int value) noexcept
{
    setsockopt(fd, level, name, &value, sizeof value);
}

void set_usual_options(int fd, const KeepAlive& keep_alive) noexcept
{
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, keep_alive.idle_s);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, keep_alive.interval_s);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, keep_alive.questions);
}

base::UniqueFd begin_connect(const network::Candidate& way, std::uint16_t port,
                             const ConnectionOptions& options)
{
    base::UniqueFd fd = make_prepared(way.to.address.is_v4(), options);
    if (!fd)
        return fd;
    if (!way.from.address.is_any()) {
        // Otherwise all connections share the ports of one address.
        set_option(fd.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
        if (!bind_to(fd.get(), way.from.address, way.scope()))
            return {};
    }
    socklen_t size = 0;
    const sockaddr_storage to = way.to.address.to_sockaddr(port, way.scope(), size);
    if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), size) != 0 && errno != EINPROGRESS)
        return {};
    return fd;
}

int connect_error(int fd) noexcept
{
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
}

ListeningSocket listen_at(std::span<const network::LocalAddress> addresses, const ConnectionOptions& options)
{
    const network::LocalAddress* const only = addresses.size() == 1 ? &addresses.front() : nullptr;
    for (const bool v4 : {false, true}) {
        if (only != nullptr && only->address.is_v4() != v4)
            continue;
        base::UniqueFd fd = make_prepared(v4, options);  // accepted sockets inherit its buffers
        if (!fd)
            continue;
        set_option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
        const network::IpAddress at =
            only != nullptr ? only->address : *network::IpAddress::parse(v4 ? "0.0.0.0" : "::");
        const unsigned scope = at.is_link_local() ? only->interface_index : 0;
        sockaddr_storage bound{};
        socklen_t size = sizeof bound;
        if (bind_to(fd.get(), at, scope) && listen(fd.get(), SOMAXCONN) == 0 &&
            getsockname(fd.get(), reinterpret_cast<sockaddr*>(&bound), &size) == 0)
            return {std::move(fd), port_of(bound)};
    }
    throw Error(ErrorCode::system, "listen", fmt::format("no port to listen on: {}", words_of(errno)));
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

}  // namespace tutti::connection
