#include "launcher/profile/trace_clocks.hpp"

#include <algorithm>
#include <utility>

#include "lib/foundation/base/clock.hpp"

namespace tutti::launcher {

void ClockTrack::add(const ClockReading& reading)
{
    if (reading.back_ns < reading.sent_ns)
        return;
    insert(reading);
    if (best_.size() <= kMostReadings)
        return;
    window_ns_ *= 2;
    for (const ClockReading& kept : std::exchange(best_, {}))
        insert(kept);
}

void ClockTrack::insert(const ClockReading& reading)
{
    const auto window_of = [this](const ClockReading& one) { return one.sent_ns / window_ns_; };
    if (best_.empty() || window_of(best_.back()) != window_of(reading))
        best_.push_back(reading);
    else if (reading.error_ns() < best_.back().error_ns())
        best_.back() = reading;
}

std::int64_t ClockTrack::to_head(std::int64_t there_ns) const noexcept
{
    if (best_.empty())
        return there_ns;
    const auto after = std::ranges::upper_bound(best_, there_ns, {}, &ClockReading::there_ns);
    if (after == best_.begin())
        return there_ns - best_.front().offset_ns();
    const ClockReading& before = *(after - 1);
    if (after == best_.end())
        return there_ns - before.offset_ns();
    const double part = static_cast<double>(there_ns - before.there_ns) /
                        static_cast<double>(after->there_ns - before.there_ns);
    const double change = part * static_cast<double>(after->offset_ns() - before.offset_ns());
    return there_ns - before.offset_ns() - static_cast<std::int64_t>(change);
}

std::int64_t ClockTrack::error_ns() const noexcept
{
    std::int64_t most = 0;
    for (const ClockReading& reading : best_)
        most = std::max(most, reading.error_ns());
    return most;
}

void ClockWatch::begin(int node)
{
    nodes_.push_back(node);
    to_ask_[static_cast<std::size_t>(node)] = kRoundTrips;
    ask(node);
    if (nodes_.size() == 1)
        timer_ = loop_.after(std::chrono::nanoseconds(ClockTrack::kWindowNs), [this] { ask_all(); });
}

void ClockWatch::ask_all()
{
    std::int64_t window_ns = ClockTrack::kWindowNs;
    for (const int node : nodes_) {
        const auto index = static_cast<std::size_t>(node);
        window_ns = std::max(window_ns, tracks_[index].window_ns());
        // One that has not answered yet is asked no more.
        if (to_ask_[index] > 0)
            continue;
        to_ask_[index] = kRoundTrips;
        ask(node);
    }
    timer_ = loop_.after(std::chrono::nanoseconds(window_ns), [this] { ask_all(); });
}

void ClockWatch::ask(int node)
{
    ask_(node, base::now_ns());
}

void ClockWatch::answered(int node, std::int64_t sent_ns, std::int64_t there_ns)
{
    const auto index = static_cast<std::size_t>(node);
    tracks_[index].add({sent_ns, there_ns, base::now_ns()});
    if (to_ask_[index] > 0 && --to_ask_[index] > 0)
        ask(node);
}

}  // namespace tutti::launcher
