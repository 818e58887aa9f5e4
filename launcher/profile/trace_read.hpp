// The rings of a rank's profile: its last calls and messages.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "launcher/profile/rank_profile.hpp"

namespace tutti::launcher {

/// Some of a rank's last calls and messages, in their order.
struct TraceChunk {
    std::vector<TraceCall> calls;
    std::vector<TraceMessage> messages;

    static auto fields(auto& self) { return std::tie(self.calls, self.messages); }
};

/// Reads them bit by bit: there may be millions. What the rank was writing when it died is left out.
class TraceReader {
public:
    /// `memory` must outlive this. `host`, `end`: as ProfileClock has them.
    TraceReader(const observe::ProfileMemory& memory, const HostTime& host, const base::TickMoment& end);

    /// The next few thousand; false: that was all.
    bool next(TraceChunk& chunk);

private:
    struct Place {
        std::uint64_t next = 0;
        std::uint64_t end = 0;
    };

    void add_call(TraceChunk& chunk, const observe::ProfileEvent& event);
    void add_open_call(TraceChunk& chunk);
    void add_message(TraceChunk& chunk, const observe::ProfileMessage& message);

    const observe::ProfileMemory& memory_;
    const ProfileClock clock_;
    Place calls_;
    Place messages_;
    bool has_open_call_;
    std::map<std::uint64_t, std::uint32_t> threads_;  // the kernel's numbers become small ones
};

/// How many entries of a ring of this size have been overwritten.
std::uint64_t dropped_of(std::uint64_t written, std::size_t ring) noexcept;

}  // namespace tutti::launcher
