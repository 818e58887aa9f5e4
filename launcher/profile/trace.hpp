// What ranks have recorded of their calls and messages, as a timeline: the values that the clocks are aligned
// in, and that the files of --trace are written from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "lib/foundation/observe/message_protocol.hpp"
#include "lib/foundation/observe/status_page.hpp"

namespace tutti::launcher {

struct TraceCall {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;  // before its begin: it did not end, see RankTrace::end_of()
    observe::CallWords call{};
    std::uint32_t caller = 0;  // in RankTrace::callers, from 1; 0: unknown
    std::uint32_t thread = 0;  // 0: the one that made the environment

    static auto fields(auto& self)
    {
        return std::tie(self.begin_ns, self.end_ns, self.call.context, self.call.peer_and_tag, self.call.what,
                        self.call.signature, self.caller, self.thread);
    }
};

/// A message on its way out, or its arrival.
struct TraceMessage {
    std::int64_t time_ns = 0;
    int peer = 0;  // a rank of the job
    int tag = 0;
    std::uint64_t context = 0;
    std::uint64_t bytes = 0;
    std::uint64_t number = 0;  // among those of this pair in this direction
    bool arrived = false;
    std::uint8_t protocol = 0;  // code_of() it, where this end knows it

    static auto fields(auto& self)
    {
        return std::tie(self.time_ns, self.peer, self.tag, self.context, self.bytes, self.number,
                        self.arrived, self.protocol);
    }
};

struct RankTrace {
    int rank = 0;
    int node = 0;
    std::int64_t ended_ns = 0;           // when it left the job, or its process ended
    std::vector<TraceCall> calls;        // by begin
    std::vector<TraceMessage> messages;  // by time
    std::uint64_t dropped_calls = 0;     // older than these: there was no room
    std::uint64_t dropped_messages = 0;
    std::map<std::uint64_t, std::string> communicators;  // names by context
    std::vector<std::string> callers;

    /// Of a call that did not end: the end of the rank.
    std::int64_t end_of(const TraceCall& call) const noexcept
    {
        return call.end_ns < call.begin_ns ? std::max(ended_ns, call.begin_ns) : call.end_ns;
    }
};

/// A message whose both ends are known.
struct TraceArrow {
    int from = 0;  // in JobTrace::ranks
    int to = 0;
    std::int64_t sent_ns = 0;
    std::int64_t arrived_ns = 0;
    int tag = 0;
    std::uint64_t context = 0;
    std::uint64_t bytes = 0;
    observe::MessageProtocol protocol{};  // as its sender chose
};

struct JobTrace {
    std::string program;
    std::vector<std::string> hosts;  // by node
    std::vector<RankTrace> ranks;    // by rank
    std::vector<TraceArrow> arrows;  // by the time they were sent
    std::int64_t begin_ns = 0;       // the first event of all
    std::int64_t end_ns = 0;
    std::int64_t clock_error_ns = 0;  // clocks of hosts may differ by so much after their alignment
    std::int64_t most_shifted_ns =
        0;  // a host's times were moved, so that messages arrive after they are sent
    std::uint64_t arrived_before_sent = 0;  // arrows for which that did not help
    std::int64_t most_before_sent_ns = 0;

    std::size_t calls() const noexcept
    {
        std::size_t sum = 0;
        for (const RankTrace& rank : ranks)
            sum += rank.calls.size();
        return sum;
    }
    std::uint64_t dropped() const noexcept
    {
        std::uint64_t sum = 0;
        for (const RankTrace& rank : ranks)
            sum += rank.dropped_calls + rank.dropped_messages;
        return sum;
    }
};

}  // namespace tutti::launcher
