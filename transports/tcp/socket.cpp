#include "transports/tcp/socket.hpp"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

#include "lib/foundation/connection/socket.hpp"
#include "transports/tcp/congestion.hpp"

namespace tutti::transport::tcp {

using connection::set_option;

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
// TCP_RTO_MAX_MS, from Linux 6.15 on: headers are often older than the kernel.
constexpr int kTcpRtoMaxMs = 44;
constexpr int kLeastRtoMaxMs = 1000;

}  // namespace

// TCP_USER_TIMEOUT is not for us: it also ends connections to a peer that lives and computes for a while
// without reading. Keepalive looks after idle connections, AckTimer after the others.
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

// Linux acknowledges what makes the window no larger when it is read, so in the reader's time; but at once
// where the program waits for more.
void set_acknowledged_at_once(int fd, int bytes) noexcept
{
    set_option(fd, SOL_SOCKET, SO_RCVLOWAT, bytes);
}

bool AckTimer::all_arrived(int fd, std::int64_t now_ns) noexcept
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
