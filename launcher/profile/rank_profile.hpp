// A rank's profile as values, which travel from its daemon to the head. Nothing that the rank wrote is
// believed: numbers are bounded, texts are printable.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "launcher/profile/trace.hpp"
#include "launcher/stacks/stack.hpp"
#include "lib/foundation/base/ticks.hpp"
#include "lib/foundation/observe/profile_page.hpp"

namespace tutti::launcher {

/// Times are nanoseconds of the host's base::now_ns().
struct RankProfile {
    /// Calls that are alike.
    struct Calls {
        observe::Operation operation{};
        std::uint8_t size_class = 0;  // see observe::ProfileKey
        std::uint16_t signature = 0;  // of a collective: kind, board and algorithm
        std::uint64_t context = 0;
        std::int32_t caller = -1;  // index into `callers`; -1: unknown
        std::uint64_t calls = 0;
        std::uint64_t bytes = 0;
        std::int64_t ns = 0;
        std::int64_t waiting_ns = 0;
        std::int64_t least_ns = 0;
        std::int64_t most_ns = 0;

        static auto fields(auto& self)
        {
            return std::tie(self.operation, self.size_class, self.signature, self.context, self.caller,
                            self.calls, self.bytes, self.ns, self.waiting_ns, self.least_ns, self.most_ns);
        }
    };
    struct Peer {
        std::int32_t rank = -1;  // of the job; -1: all others together
        std::uint64_t sent = 0;
        std::uint64_t sent_bytes = 0;
        std::uint64_t collective_sent = 0;
        std::uint64_t collective_sent_bytes = 0;
        std::uint64_t arrived = 0;
        std::uint64_t arrived_bytes = 0;
        std::int64_t waited_ns = 0;

        static auto fields(auto& self)
        {
            return std::tie(self.rank, self.sent, self.sent_bytes, self.collective_sent,
                            self.collective_sent_bytes, self.arrived, self.arrived_bytes, self.waited_ns);
        }
    };
    struct Communicator {
        std::uint64_t context = 0;
        std::int32_t members = 0;
        std::string name;  // empty: it has none

        static auto fields(auto& self) { return std::tie(self.context, self.members, self.name); }
    };

    std::int32_t rank = 0;
    bool left = false;  // else it ended without leaving the job
    std::int64_t joined_ns = 0;
    std::int64_t ended_ns = 0;  // when it left, or else its process ended
    std::uint64_t left_out_calls = 0;
    std::int64_t left_out_ns = 0;
    std::int64_t left_out_waiting_ns = 0;
    // By MessageProtocol, of messages sent.
    std::vector<std::uint64_t> protocol_messages = std::vector<std::uint64_t>(observe::kMessageProtocols);
    std::vector<std::uint64_t> protocol_bytes = protocol_messages;
    std::vector<Calls> calls;
    std::vector<Peer> peers;
    std::vector<StackFrame> callers;
    std::vector<Communicator> communicators;
    // The last ones, where a trace is wanted; older ones were dropped. They travel apart, since there may be
    // millions.
    std::vector<TraceCall> last_calls;
    std::vector<TraceMessage> last_messages;
    std::uint64_t dropped_calls = 0;
    std::uint64_t dropped_messages = 0;

    /// Throws WireError for values that do not belong together.
    void check() const;

    static auto fields(auto& self)
    {
        return std::tie(self.rank, self.left, self.joined_ns, self.ended_ns, self.left_out_calls,
                        self.left_out_ns, self.left_out_waiting_ns, self.protocol_messages,
                        self.protocol_bytes, self.calls, self.peers, self.callers, self.communicators,
                        self.dropped_calls, self.dropped_messages);
    }
};

/// This moment on both clocks of a profile.
base::TickMoment moment_of(const observe::ProfileMemory& memory) noexcept;

/// Two moments of a host, before and behind all that its ranks have noted.
struct HostTime {
    base::TickMoment begin;
    base::TickMoment end;
};

/// The times of a profile as nanoseconds. Those of all ranks of a host lie on the one line through the host's
/// two moments: moments that each rank reads for itself are some 100 ns off, which is more than a message
/// takes, and it would arrive before it is sent. Any numbers have an answer.
class ProfileClock {
public:
    /// `end`: when the rank had ended.
    ProfileClock(const observe::ProfileMemory& memory, const HostTime& host,
                 const base::TickMoment& end) noexcept;
    /// At a moment, within the time of the rank.
    std::int64_t at(std::uint64_t ticks) const noexcept;
    std::int64_t duration(std::uint64_t ticks) const noexcept;

private:
    base::TickMoment origin_;
    double ns_per_tick_ = 1;
    std::uint64_t first_ticks_ = 0;  // of the rank
    std::uint64_t last_ticks_ = 0;
};

/// Where the profile's calls come from. As many as `callers` of the RankProfile.
std::vector<CodePlace> places_of(const observe::ProfileMemory& memory);

/// All of it but the names of its callers, and its last calls and messages (trace_read.hpp). `end`: when the
/// rank had ended.
RankProfile read_profile(int rank, const observe::ProfileMemory& memory, const HostTime& host,
                         const base::TickMoment& end);

}  // namespace tutti::launcher
