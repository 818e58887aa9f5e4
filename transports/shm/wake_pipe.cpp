#include "transports/shm/wake_pipe.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <utility>

namespace tutti::transport::shm {

bool WakePipe::open() noexcept
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    reading_.reset(ends[0]);
    writing_.reset(ends[1]);
    // Whoever writes to a pipe that nobody reads is killed. Peers that have this one read it themselves.
    base::UniqueFd both(
        ::open(fmt::format("/proc/self/fd/{}", ends[1]).c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
    if (both)
        writing_ = std::move(both);
    return true;
}

void WakePipe::drain() noexcept
{
    std::array<char, 512> bytes;
    while (read(reading_.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
    }
}

// A full pipe has already woken its owner.
void WakeLine::ring(const LocalProcess& owner, int writing_end, DescriptorExchange* exchange) noexcept
{
    if (!std::exchange(tried_, true)) {
        try {
            line_ = owner.open(writing_end, O_RDWR | O_NONBLOCK, exchange);  // see WakePipe::open()
        } catch (const std::exception&) {
            // Its owner also looks from time to time.
        }
    }
    const char byte = 0;
    if (line_) [[maybe_unused]]
        const ssize_t written = write(line_.get(), &byte, 1);
}

}  // namespace tutti::transport::shm
