#include "launcher/base/event_loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace tutti::launcher {

namespace {

/// Of the time of a timer that does not count while this process is stopped.
constexpr int kParts = 10;

[[noreturn]] void fail(const char* call)
{
    throw std::system_error(errno, std::generic_category(), call);
}

}  // namespace

EventLoop::EventLoop()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), wakeup_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    if (!epoll_ || !wakeup_)
        fail("epoll_create1");
    watch(wakeup_.get(), EPOLLIN, [this](std::uint32_t) {
        std::uint64_t count = 0;
        [[maybe_unused]] const ssize_t bytes = ::read(wakeup_.get(), &count, sizeof count);
    });
}

bool EventLoop::watch(int fd, std::uint32_t epoll_events, Handler handler)
{
    epoll_event event{};
    event.events = epoll_events;
    event.data.fd = fd;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
        if (errno == EPERM)
            return false;
        fail("epoll_ctl");
    }
    handlers_[fd] = std::make_shared<Handler>(std::move(handler));
    return true;
}

void EventLoop::change(int fd, std::uint32_t epoll_events)
{
    epoll_event event{};
    event.events = epoll_events;
    event.data.fd = fd;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) != 0)
        fail("epoll_ctl");
}

void EventLoop::forget(int fd)
{
    if (handlers_.erase(fd) > 0)
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

EventLoop::TimerId EventLoop::after(std::chrono::duration<double> delay, std::function<void()> action)
{
    return add(std::chrono::duration_cast<Clock::duration>(delay), {std::move(action)});
}

EventLoop::TimerId EventLoop::after_awake(std::chrono::duration<double> delay, std::function<void()> action)
{
    const auto part = std::chrono::duration_cast<Clock::duration>(delay / kParts);
    return add(part, {std::move(action), kParts - 1, part});
}

EventLoop::TimerId EventLoop::add(Clock::duration delay, Timer timer)
{
    timers_.emplace(std::pair(Clock::now() + delay, ++last_timer_), std::move(timer));
    return last_timer_;
}

void EventLoop::cancel(TimerId timer)
{
    std::erase_if(timers_, [timer](const auto& entry) { return entry.first.second == timer; });
}

void EventLoop::post(std::function<void()> action)
{
    {
        const std::lock_guard lock(mutex_);
        posted_.push_back(std::move(action));
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t bytes = ::write(wakeup_.get(), &one, sizeof one);
}

void EventLoop::run_posted()
{
    std::vector<std::function<void()>> batch;
    {
        const std::lock_guard lock(mutex_);
        batch.swap(posted_);
    }
    for (const auto& action : batch)
        action();
}

void EventLoop::run_timers()
{
    const Clock::time_point now = Clock::now();
    while (!timers_.empty() && timers_.begin()->first.first <= now) {
        auto node = timers_.extract(timers_.begin());
        Timer& timer = node.mapped();
        if (timer.more_parts > 0) {
            --timer.more_parts;
            node.key().first = now + timer.part;
            timers_.insert(std::move(node));
        } else {
            timer.action();
        }
    }
}

int EventLoop::milliseconds_to_next_timer() const
{
    if (timers_.empty())
        return -1;
    const auto left = timers_.begin()->first.first - Clock::now();
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    return static_cast<int>(std::clamp<std::int64_t>(milliseconds, 0, 60'000));
}

void EventLoop::run()
{
    std::array<epoll_event, 64> events{};
    while (running_) {
        const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                       milliseconds_to_next_timer());
        if (count < 0 && errno != EINTR)
            fail("epoll_wait");
        for (int i = 0; i < count && running_; ++i) {
            const epoll_event& event = events.at(static_cast<std::size_t>(i));
            run_posted();  // posted before this descriptor became ready, so it comes first
            const auto found = handlers_.find(event.data.fd);
            if (found != handlers_.end()) {
                const std::shared_ptr<Handler> handler = found->second;  // it may forget itself
                (*handler)(event.events);
            }
        }
        run_posted();
        run_timers();
    }
    running_ = true;
}

}  // namespace tutti::launcher
