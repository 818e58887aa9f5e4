// Sockets as this transport wants them.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lib/foundation/base/unique_fd.hpp"
#include "lib/foundation/network/interfaces.hpp"

namespace tutti::transport::tcp {

/// What a connection is made with.
struct SocketOptions {
    std::chrono::milliseconds
        timeout;       // an idle connection whose other end answers nothing is lost after this
    int buffer_bytes;  // of each direction, in the kernel; 0: as the kernel sees fit
    std::string congestion_control{};  // empty: the system's
};

/// Non-blocking; closed by exec. Empty, with errno, where there is none.
base::UniqueFd make_socket(bool v4) noexcept;
void set_options(int fd, const SocketOptions& options) noexcept;
/// Arrivals are acknowledged at once, not when they are read, while fewer bytes than this are unread. Until
/// there are as many, poll() and epoll do not tell of them: for who sleeps it is 1.
void set_acknowledged_at_once(int fd, int bytes) noexcept;
/// What connect() goes out from; its port is chosen then. False, with errno, where this host has no such
/// address.
bool bind_source(int fd, const network::IpAddress& address, unsigned scope) noexcept;

struct Listener {
    base::UniqueFd fd;
    std::uint16_t port = 0;
};
/// On a free port of the one address that there is, or else of all that the host has, of both versions of IP
/// where it has both: then who comes to another address is to be turned away. Throws ErrorCode::system.
Listener make_listener(const SocketOptions& options, std::span<const network::LocalAddress> addresses);

/// The address of this host that the other end has connected to.
std::optional<network::IpAddress> own_address_of(int fd);
/// "10.0.0.2:4242", as the kernel knows the other end.
std::string name_of_other_end(int fd);
/// The error in words, with the remedy where there is a known one.
std::string words_of(int error);

/// Whether the other end's host still answers.
class Pulse {
public:
    /// Looks at the connection; called now and then while something is on its way. True: all is acknowledged.
    bool all_arrived(int fd, std::int64_t now_ns) noexcept;
    /// How long nothing has been acknowledged though something is on its way.
    std::int64_t silent_ns(std::int64_t now_ns) const noexcept
    {
        return since_ns_ == 0 ? 0 : now_ns - since_ns_;
    }

private:
    std::int64_t since_ns_ = 0;
};

}  // namespace tutti::transport::tcp
