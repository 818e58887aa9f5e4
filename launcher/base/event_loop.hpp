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

#include "launcher/base/descriptors.hpp"

namespace tutti::launcher {

class EventLoop {
public:
    using Clock = std::chrono::steady_clock;
    using Handler = std::function<void(std::uint32_t epoll_events)>;
    using TimerId = std::uint64_t;

    EventLoop();

    /// Calls `handler` whenever `fd` has one of `epoll_events` (level-triggered). The caller keeps the
    /// descriptor open until forget(). False where the kernel cannot poll it, such as a file, which is
    /// always ready.
    bool watch(int fd, std::uint32_t epoll_events, Handler handler);
    void change(int fd, std::uint32_t epoll_events);
    /// May be called from any handler, also for its own descriptor. No more calls for `fd` follow.
    void forget(int fd);

    TimerId after(std::chrono::duration<double> delay, std::function<void()> action);
    /// Counts only the time in which this process is not stopped: while it is stopped, a peer that it waits
    /// for may answer.
    TimerId after_awake(std::chrono::duration<double> delay, std::function<void()> action);
    /// `timer` may have fired already, or be 0.
    void cancel(TimerId timer);

    /// From any thread: runs `action` in the loop's thread, in order of posting, and before the handler of
    /// any descriptor that becomes ready later.
    void post(std::function<void()> action);

    /// Runs all posted actions now, from inside a handler that needs their results.
    void run_posted();

    /// Runs until stop(). May be called again.
    void run();
    void stop() noexcept { running_ = false; }

private:
    struct Timer {
        std::function<void()> action;
        int more_parts = 0;  // of its time; each begins when this process handles the end of the one before
        Clock::duration part{};
    };

    TimerId add(Clock::duration delay, Timer timer);
    void run_timers();
    int milliseconds_to_next_timer() const;

    UniqueFd epoll_;
    UniqueFd wakeup_;
    bool running_ = true;
    std::unordered_map<int, std::shared_ptr<Handler>> handlers_;
    std::map<std::pair<Clock::time_point, TimerId>, Timer> timers_;
    TimerId last_timer_ = 0;

    std::mutex mutex_;  // guards posted_, the only thing that other threads touch
    std::vector<std::function<void()>> posted_;
};

}  // namespace tutti::launcher
