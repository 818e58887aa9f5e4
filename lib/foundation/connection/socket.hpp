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

/// What all connections of a process have in common.
struct Options {
    security::Key key;
    std::uint32_t version;  // of what is spoken behind the handshake
    security::Identity self;
    /// An address that does not answer for so long is given up, a guest that says nothing is dropped.
    std::int64_t timeout_ns;
    /// Sets options of a socket before it connects or listens, and of one that was accepted. May be empty.
    std::function<void(int fd)> prepare{};
};

/// Who a rank is.
inline security::Identity rank_identity(int rank) noexcept
{
    return {security::Identity::Kind::rank, static_cast<std::uint32_t>(rank)};
}

/// When the kernel asks an idle connection's other end, and how many questions it leaves unanswered.
struct KeepAlive {
    int idle_s;
    int interval_s;
    int questions;
};

/// Non-blocking; closed by exec. Empty, with errno, where there is none.
base::UniqueFd make_socket(bool v4) noexcept;
void set_option(int fd, int level, int name, int value) noexcept;
/// Short messages go at once, and a host that is gone is noticed.
void set_usual_options(int fd, const KeepAlive& keep_alive) noexcept;

/// Begins to connect from and to the addresses of `way`, without blocking; where it comes from any address,
/// the routes choose one. Empty, with errno, where that fails at once.
base::UniqueFd begin_connect(const network::Candidate& way, std::uint16_t port, const Options& options);
/// What has become of it; 0: it is connected.
int connect_error(int fd) noexcept;

struct ListeningSocket {
    base::UniqueFd fd;
    std::uint16_t port = 0;
};
/// On a free port of the one address that there is, or else of all that the host has, of both versions of IP
/// where it has both: then who comes to another address is to be turned away. Throws ErrorCode::system.
ListeningSocket listen_at(std::span<const network::LocalAddress> addresses, const Options& options);

/// The address of this host that the other end has connected to.
std::optional<network::IpAddress> own_address_of(int fd);
/// "10.0.0.2:4242", as the kernel knows the other end.
std::string name_of_other_end(int fd);
/// The error in words, with the remedy where there is a known one.
std::string words_of(int error);

}  // namespace tutti::connection
