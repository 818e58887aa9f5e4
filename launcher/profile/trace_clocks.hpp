// How far the clocks of daemons are from the head's, by round trips to each daemon: its clock was read at
// some moment of the trip, so half of that is the error, and the shortest trip is the best one (Cristian).
// Clocks also run at different speeds, so this is done again and again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "launcher/base/event_loop.hpp"

namespace tutti::launcher {

/// One round trip.
struct ClockReading {
    std::int64_t sent_ns = 0;   // on the head's clock
    std::int64_t there_ns = 0;  // on the daemon's
    std::int64_t back_ns = 0;

    /// How much the daemon's clock is ahead.
    std::int64_t offset_ns() const noexcept { return there_ns - sent_ns - error_ns(); }
    std::int64_t error_ns() const noexcept { return (back_ns - sent_ns) / 2; }
};

/// A daemon's clock during the job. Without readings it is the head's.
class ClockTrack {
public:
    /// In the order in which they were made. The best one of each window of time is kept.
    void add(const ClockReading& reading);
    /// Between two readings the offset is taken to change evenly.
    std::int64_t to_head(std::int64_t there_ns) const noexcept;
    /// At most.
    std::int64_t error_ns() const noexcept;
    std::size_t size() const noexcept { return best_.size(); }
    /// Beyond this number windows become twice as long.
    static constexpr std::size_t kMostReadings = 64;
    static constexpr std::int64_t kWindowNs = 2'000'000'000;
    std::int64_t window_ns() const noexcept { return window_ns_; }

private:
    void insert(const ClockReading& reading);

    std::vector<ClockReading> best_;
    std::int64_t window_ns_ = kWindowNs;
};

/// Makes the round trips, for the head.
class ClockWatch {
public:
    /// `ask` asks the daemon of a node for the time of its clock.
    ClockWatch(EventLoop& loop, std::size_t nodes, std::function<void(int node, std::int64_t now_ns)> ask)
        : loop_(loop), ask_(std::move(ask)), tracks_(nodes), to_ask_(nodes)
    {
    }

    /// The daemon of this node is there, and has a clock of its own.
    void begin(int node);
    /// `sent_ns` is the time that it was asked at.
    void answered(int node, std::int64_t sent_ns, std::int64_t there_ns);
    void end() { loop_.cancel(timer_); }

    /// By node.
    const std::vector<ClockTrack>& tracks() const noexcept { return tracks_; }

private:
    static constexpr int kRoundTrips = 8;  // one after the other

    void ask_all();
    void ask(int node);

    EventLoop& loop_;
    std::function<void(int node, std::int64_t now_ns)> ask_;
    std::vector<ClockTrack> tracks_;
    std::vector<int> to_ask_;  // how often yet
    std::vector<int> nodes_;
    EventLoop::TimerId timer_ = 0;
};

}  // namespace tutti::launcher
