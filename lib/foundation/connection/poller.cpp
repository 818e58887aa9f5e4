#include "lib/foundation/connection/poller.hpp"

#include <fmt/format.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "lib/foundation/connection/socket.hpp"
#include "tutti/error.hpp"

namespace tutti::connection {

Poller::Poller()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC))
{
    if (!epoll_ || !timer_ || !watch(timer_.get(), EPOLLIN, alarm_))
        throw Error(ErrorCode::system, "connect",
                    fmt::format("no file descriptor to wait with: {}", words_of(errno)));
}

bool Poller::watch(int fd, std::uint32_t events, Watched& watched) noexcept
{
    epoll_event event{};
    event.events = events;
    event.data.ptr = &watched;
    return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

void Poller::change(int fd, std::uint32_t events, Watched& watched) noexcept
{
    epoll_event event{};
    event.events = events;
    event.data.ptr = &watched;
    epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void Poller::forget(int fd) noexcept
{
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

std::span<const epoll_event> Poller::wait(int timeout_ms) noexcept
{
    const int count = epoll_wait(epoll_.get(), room_.data(), static_cast<int>(room_.size()), timeout_ms);
    return std::span(room_).first(static_cast<std::size_t>(std::max(count, 0)));
}

void Poller::wake_at(std::int64_t ns) noexcept
{
    if (alarm_ns_ != 0 && alarm_ns_ <= ns)
        return;
    alarm_ns_ = ns;
    itimerspec time{};
    time.it_value.tv_sec = ns / 1'000'000'000;
    time.it_value.tv_nsec = ns % 1'000'000'000;
    timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &time, nullptr);
}

void Poller::clear_alarm() noexcept
{
    std::uint64_t times = 0;
    if (read(timer_.get(), &times, sizeof times) > 0)
        alarm_ns_ = 0;
}

}  // namespace tutti::connection
