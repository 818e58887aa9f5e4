// Sockets as this transport wants them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tutti::transport::tcp {

/// What a connection is made with.
struct SocketOptions {
    std::chrono::milliseconds
        timeout;       // an idle connection whose other end answers nothing is lost after this
    int buffer_bytes;  // of each direction, in the kernel; 0: as the kernel sees fit
    std::string congestion_control{};  // empty: the system's
};

void set_options(int fd, const SocketOptions& options) noexcept;
/// Arrivals are acknowledged at once, not when they are read, while fewer bytes than this are unread. Until
/// there are as many, poll() and epoll do not tell of them: for who sleeps it is 1.
void set_acknowledged_at_once(int fd, int bytes) noexcept;

/// Whether the other end's host still answers.
class AckTimer {
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
