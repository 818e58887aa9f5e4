#include "launcher/report/rank_load.hpp"

#include <unistd.h>

#include <cmath>

#include "launcher/wire/wire.hpp"

namespace tutti::launcher {

namespace {

constexpr std::chrono::milliseconds kHistory{1000};

}  // namespace

void RankLoad::add(const RankLoad& other)
{
    ranks += other.ranks;
    calls_per_second += other.calls_per_second;
    messages_per_second += other.messages_per_second;
    sent_bytes_per_second += other.sent_bytes_per_second;
    arrived_bytes_per_second += other.arrived_bytes_per_second;
    processors += other.processors;
    resident_bytes += other.resident_bytes;
    posted += other.posted;
    unexpected += other.unexpected;
}

void RankLoad::check() const
{
    for (const double value :
         {calls_per_second, messages_per_second, sent_bytes_per_second, arrived_bytes_per_second, processors})
        if (!std::isfinite(value) || value < 0)
            throw WireError("a report of a rate that cannot be");
    if (ranks < 0)
        throw WireError("a report of ranks that do not exist");
}

LoadSample LoadSample::of(const observe::StatusPage& page, const ProcessState& process)
{
    const observe::StatusCount::Values sent = page.traffic.sent.load();
    const observe::StatusCount::Values arrived = page.traffic.arrived.load();
    return {std::chrono::steady_clock::now(),
            page.begun(),
            sent.messages + arrived.messages,
            sent.bytes,
            arrived.bytes,
            process.processor_ticks,
            process.resident_bytes};
}

RankLoad load_between(const LoadSample& before, const LoadSample& now)
{
    RankLoad load;
    load.ranks = 1;
    load.resident_bytes = now.resident_bytes;
    const double seconds = std::chrono::duration<double>(now.time - before.time).count();
    if (seconds <= 0)
        return load;
    // A rank that executes another program begins at 0 again.
    const auto rate = [seconds](std::uint64_t from, std::uint64_t to) {
        return to > from ? static_cast<double>(to - from) / seconds : 0;
    };
    load.calls_per_second = rate(before.calls, now.calls);
    load.messages_per_second = rate(before.messages, now.messages);
    load.sent_bytes_per_second = rate(before.sent_bytes, now.sent_bytes);
    load.arrived_bytes_per_second = rate(before.arrived_bytes, now.arrived_bytes);
    load.processors =
        rate(before.processor_ticks, now.processor_ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    return load;
}

void LoadHistory::add(const LoadSample& sample)
{
    samples_.push_back(sample);
    while (samples_.size() > 2 && sample.time - samples_[1].time >= kHistory)
        samples_.pop_front();
}

RankLoad LoadHistory::load() const
{
    return samples_.empty() ? load_between({}, {}) : load_between(samples_.front(), samples_.back());
}

}  // namespace tutti::launcher
