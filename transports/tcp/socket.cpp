#include "transports/tcp/socket.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

#include "lib/foundation/connection/socket.hpp"
#include "transports/tcp/congestion.hpp"

namespace tutti::transport::tcp {

using connection::set_option;

namespace {

// TCP_RTO_MAX_MS, from Linux 6.15 on: headers are often older than the kernel.
constexpr int kTcpRtoMaxMs = 44;
constexpr int kLeastRtoMaxMs = 1000;

}  // namespace

// TCP_USER_TIMEOUT is not for us: it also ends connections to a peer that lives and computes for a while
// without reading. Keepalive looks after idle connections, Stream::silent_ns() after the others.
void set_options(int fd, const SocketOptions& options) noexcept
{
    const int timeout_ms = static_cast<int>(options.timeout.count());
    const auto seconds = [&](int parts) { return std::max(1, timeout_ms / parts / 1000); };
    connection::set_usual_options(fd, {.idle_s = seconds(2), .interval_s = seconds(10), .questions = 5});
    // How rarely the kernel asks for a window that has been closed for long: only then a cut shows.
    set_option(fd, IPPROTO_TCP, kTcpRtoMaxMs, std::max(kLeastRtoMaxMs, timeout_ms / 4));
    if (!options.congestion_control.empty())
        set_congestion_control(fd, options.congestion_control);
    if (options.buffer_bytes != 0) {
        set_option(fd, SOL_SOCKET, SO_SNDBUF, options.buffer_bytes);
        set_option(fd, SOL_SOCKET, SO_RCVBUF, options.buffer_bytes);
    }
}

}  // namespace tutti::transport::tcp
