// The daemon's part of profiles: holds those of its ranks, and sends them to the head when all have ended.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "launcher/profile/rank_profile.hpp"
#include "launcher/profile/trace_read.hpp"
#include "launcher/stacks/stack_reader.hpp"
#include "launcher/wire/codec.hpp"
#include "launcher/wire/connection.hpp"
#include "lib/foundation/base/clock.hpp"

namespace tutti::launcher {

class ProfileCollector {
public:
    /// Both references must outlive this.
    ProfileCollector(EventLoop& loop, Uplink& head) : head_(head), reader_(loop) {}

    /// The memory of a rank's profile. What is none is left out.
    void add(int rank, UniqueFd memory);
    void rank_ended(int rank);

    /// The head has asked at this time of its clock.
    void report_clock(std::int64_t asked_ns)
    {
        head_.send(FrameType::clock_reading, encode(asked_ns, base::now_ns()));
    }

    /// All ranks have ended: true if nothing is left to send. Else `done` is called when all was sent. A
    /// timeline may take long, but not this thread: other frames have their turn.
    bool is_sent(std::function<void()> done);
    /// The head has taken so much of what was sent.
    void taken(std::uint64_t bytes);

private:
    struct Held {
        observe::ProfileMemory memory;
        base::TickMoment end;
    };
    void send_some();
    void send(const std::string& piece);
    void send_profile(int rank, const Held& held);
    static base::TickMoment end_of(const Held& held);

    Uplink& head_;
    HostTime time_ = {base::tick_moment(base::ticks_are_of_processor()), {}};  // `end`: all ranks have ended
    StackReader reader_;
    std::map<int, Held> ranks_;
    bool reading_ = false;
    std::map<CodePlace, StackFrame> names_;
    std::function<void()> done_;        // once names are known, until all is sent
    std::optional<TraceReader> trace_;  // of the first of the ranks
    std::uint64_t on_the_way_bytes_ = 0;
};

}  // namespace tutti::launcher
