// Sockets as this transport wants them.
#pragma once

#include <chrono>
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

}  // namespace tutti::transport::tcp
