#include "transports/shm/wake_pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>

namespace tutti::transport::shm {

bool WakePipe::open() noexcept
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    reading_.reset(ends[0]);
    writing_.reset(ends[1]);
    return true;
}

void WakePipe::drain() noexcept
{
    std::array<char, 512> bytes;
    while (read(reading_.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
    }
}

// A full pipe has woken its owner long ago.
void WakeLine::ring(pid_t pid, int writing_end) noexcept
{
    if (!std::exchange(tried_, true)) {
        std::array<char, 48> path{};
        std::snprintf(path.data(), path.size(), "/proc/%d/fd/%d", pid, writing_end);
        line_.reset(::open(path.data(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    }
    const char byte = 0;
    if (line_) [[maybe_unused]]
        const ssize_t written = write(line_.get(), &byte, 1);
}

}  // namespace tutti::transport::shm
