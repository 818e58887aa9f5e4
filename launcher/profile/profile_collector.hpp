// The daemon's part of profiles: holds those of its ranks, and sends them to the head when all have ended.
#pragma once

#include <functional>
#include <map>

#include "launcher/profile/rank_profile.hpp"
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
    void tell_clock(std::int64_t asked_ns)
    {
        head_.send(FrameType::clock_told, encode(asked_ns, base::now_ns()));
    }

    /// All ranks have ended: true if nothing is left to send. Else `done` is called within seconds, when all
    /// was sent.
    bool is_sent(std::function<void()> done);

private:
    struct Held {
        base::ProfileMemory memory;
        base::TickMoment end;
    };
    void send(const std::map<CodePlace, StackFrame>& names);

    Uplink& head_;
    StackReader reader_;
    std::map<int, Held> ranks_;
    bool reading_ = false;
};

}  // namespace tutti::launcher
