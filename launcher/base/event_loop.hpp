// The one thread of head and daemon: waits for descriptors, timers and closures posted by other threads.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "launcher/base/unique_fd.hpp"

namespace tutti::launcher {

class EventLoop {
public:
    using Clock = std::chrono::steady_clock;
    using Handler = std::function<void(std::uint32_t epoll_events)>;
    using TimerId = std::uint64_t;

    EventLoop();

    /// Calls `handler` whenever `fd` has one of `epoll_events` (level-triggered). The caller keeps the
    /// descriptor open until forget(). False where the kernel cannot poll it: a file, which is always ready.
    bool watch(int fd, std::uint32_t epoll_events, Handler handler);
    void change(int fd, std::uint32_t epoll_events);
    /// May be called from any handler, also for its own descriptor. No call for `fd` follows.
    void forget(int fd);

    TimerId after(Clock::duration delay, std::function<void()> action);
    /// A timer that has fired, or 0, is no error.
    void cancel(TimerId timer);

    /// From any thread: runs `action` in the loop's thread, before any descriptor that becomes ready later is
    /// looked at. In order of posting.
    void post(std::function<void()> action);

    /// Runs what was posted up to now, from inside a handler that has to know it.
    void run_posted();

    /// Runs until stop().
    void run();
    void stop() noexcept { running_ = false; }

private:
    void run_timers();
    int milliseconds_to_next_timer() const;

    UniqueFd epoll_;
    UniqueFd wakeup_;
    bool running_ = true;
    std::unordered_map<int, std::shared_ptr<Handler>> handlers_;
    std::map<std::pair<Clock::time_point, TimerId>, std::function<void()>> timers_;
    TimerId last_timer_ = 0;

    std::mutex mutex_;  // guards posted_, the only thing that other threads touch
    std::vector<std::function<void()>> posted_;
};

}  // namespace tutti::launcher
