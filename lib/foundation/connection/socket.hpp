// Sockets of connections between hosts.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/network/candidates.hpp"
#include "lib/foundation/security/handshake.hpp"

namespace tutti::connection {

/// Options for all connections of a process.
struct ConnectionOptions {
    security::Key key;
    std::uint32_t version;  // of the protocol behind the handshake
    security::Identity self;
    /// The wait for an address to answer, and for a silent connection.
    std::int64_t timeout_ns;
    /// Sets options of a socket before it connects or listens, and of an accepted one. May be empty.
    std::function<void(int fd)> prepare{};
};

/// The identity of a rank.
inline security::Identity rank_identity(int rank) noexcept
{
    return {security::Identity::Kind::rank, static_cast<std::uint32_t>(rank)};
}

/// When the kernel probes an idle connection, and after how many unanswered probes it ends it.
struct KeepAlive {
    int idle_s;
    int interval_s;
    int questions;
};

/// Non-blocking; exec closes it. Empty, with errno, on failure.
base::UniqueFd make_socket(bool v4) noexcept;
void set_option(int fd, int level, int name, int value) noexcept;
/// Short messages are sent at once, and a dead host is noticed.
void set_usual_options(int fd, const KeepAlive& keep_alive) noexcept;

/// Starts to connect between the addresses of `way`, without blocking; if it comes from any address, the
/// routes choose one. Empty, with errno, when that fails at once.
base::UniqueFd begin_connect(const network::Candidate& way, std::uint16_t port,
                             const ConnectionOptions& options);
/// The result of begin_connect(); 0: it is connected.
int connect_error(int fd) noexcept;

struct ListeningSocket {
    base::UniqueFd fd;
    std::uint16_t port = 0;
};
/// Listens on a free port: of the only address, or else of all addresses of the host, for both versions of IP
/// if it has both; then the caller must refuse connections to other addresses. Throws ErrorCode::system.
ListeningSocket listen_at(std::span<const network::LocalAddress> addresses, const ConnectionOptions& options);

/// The address of this host that the other end has connected to.
std::optional<network::IpAddress> own_address_of(int fd);
/// "10.0.0.2:4242", as the kernel knows the other end.
std::string name_of_other_end(int fd);
/// The error as text, with a remedy if one is known.
std::string words_of(int error);

}  // namespace tutti::connection
