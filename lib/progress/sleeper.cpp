#include "lib/progress/sleeper.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lib/base/futex.hpp"

namespace tutti::progress {

namespace {

// How long a sleep may last whose doorbell no file descriptor tells of.
constexpr std::int64_t kDeafNs = 1'000'000;

}  // namespace

void Sleeper::add(transport::Transport& transport)
{
    if (auto* bell = transport.doorbell()) {
        doorbell_owner_ = &transport;
        bell_ = bell;
    }
    if (transport.wait_fd() >= 0)
        waited_for_.push_back(&transport);
    if (waited_for_.empty())
        return;
    if (doorbell_owner_ != nullptr)
        doorbell_fd_ = doorbell_owner_->doorbell_fd();
    if (wake_fd_)
        return;
    wake_fd_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_fd_)
        throw Error(ErrorCode::system, "progress",
                    fmt::format("no file descriptor to sleep on: {}; raise the open-file limit (ulimit -n)",
                                std::strerror(errno)));
}

void Sleeper::arm()
{
    if (sleepers_++ != 0)
        return;
    if (doorbell_owner_ != nullptr)
        doorbell_owner_->arm();
    for (transport::Transport* transport : waited_for_)
        transport->arm();
}

// Only the last one drains: others may not have looked yet.
void Sleeper::disarm() noexcept
{
    if (--sleepers_ != 0)
        return;
    if (doorbell_owner_ != nullptr)
        doorbell_owner_->disarm();
    for (transport::Transport* transport : waited_for_)
        transport->disarm();
    if (wake_fd_) {
        eventfd_t count = 0;
        eventfd_read(wake_fd_.get(), &count);
    }
}

void Sleeper::sleep(std::uint32_t ticket, std::int64_t longest_ns)
{
    if (waited_for_.empty())
        base::futex_wait(*bell_, ticket, longest_ns);
    else
        sleep_on_descriptors(longest_ns);
}

// Needs no ticket: each of the descriptors stays readable until the last sleeper has left.
void Sleeper::sleep_on_descriptors(std::int64_t longest_ns)
{
    constexpr std::size_t kMost = 8;
    pollfd fds[kMost];
    std::size_t count = 0;
    const auto add = [&](int fd) {
        if (fd >= 0 && count < kMost)
            fds[count++] = {.fd = fd, .events = POLLIN, .revents = 0};
    };
    add(wake_fd_.get());
    add(doorbell_fd_);
    for (transport::Transport* transport : waited_for_)
        add(transport->wait_fd());
    const bool deaf = doorbell_owner_ != nullptr && doorbell_fd_ < 0;
    const std::int64_t ns = deaf ? std::min(longest_ns, kDeafNs) : longest_ns;
    const timespec timeout{.tv_sec = static_cast<time_t>(ns / 1'000'000'000),
                           .tv_nsec = static_cast<long>(ns % 1'000'000'000)};
    ppoll(fds, count, &timeout, nullptr);
}

void Sleeper::wake() noexcept
{
    bell_->fetch_add(1, std::memory_order_release);
    base::futex_wake_all(*bell_);
    if (wake_fd_)
        eventfd_write(wake_fd_.get(), 1);
}

}  // namespace tutti::progress
