#include "launcher/profile/trace_align.hpp"

#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace tutti::launcher {

namespace {

constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();

void add_to_times(RankTrace& rank, const auto& changed)
{
    rank.ended_ns = changed(rank.ended_ns);
    for (TraceCall& call : rank.calls) {
        const bool ended = call.end_ns >= call.begin_ns;
        call.begin_ns = changed(call.begin_ns);
        call.end_ns = ended ? std::max(changed(call.end_ns), call.begin_ns) : call.begin_ns - 1;
    }
    for (TraceMessage& message : rank.messages)
        message.time_ns = changed(message.time_ns);
}

/// One end of a message, by which its other end is found.
struct End {
    int from = 0;  // ranks of the job
    int to = 0;
    std::uint64_t number = 0;
    std::size_t owner = 0;  // in JobTrace::ranks
    const TraceMessage* message = nullptr;

    auto key() const noexcept { return std::tie(from, to, number); }
};

void find_arrows(JobTrace& trace)
{
    std::vector<End> sent;
    std::vector<End> arrived;
    for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
        const int rank = trace.ranks[i].rank;
        for (const TraceMessage& message : trace.ranks[i].messages) {
            if (message.arrived)
                arrived.push_back({message.peer, rank, message.number, i, &message});
            else
                sent.push_back({rank, message.peer, message.number, i, &message});
        }
    }
    std::ranges::sort(sent, {}, &End::key);
    std::ranges::sort(arrived, {}, &End::key);
    auto end = arrived.begin();
    for (const End& begin : sent) {
        while (end != arrived.end() && end->key() < begin.key())
            ++end;
        if (end == arrived.end())
            break;
        if (end->key() != begin.key())
            continue;
        const TraceMessage& message = *begin.message;
        // Only the sender knows `inject`; all others were chosen when the message was noted here already.
        const std::uint8_t protocol = message.protocol != 0 ? message.protocol : end->message->protocol;
        trace.arrows.push_back({static_cast<int>(begin.owner), static_cast<int>(end->owner), message.time_ns,
                                end->message->time_ns, message.tag, message.context, message.bytes,
                                observe::protocol_of(protocol).value_or(observe::MessageProtocol::eager)});
        ++end;
    }
}

/// By how much later each node's times must be for its messages to arrive after they were sent: the shortest
/// paths of Bellman and Ford over the quickest message of each pair of nodes. Empty where nothing is to be
/// done, or no shift helps, since messages in a circle of nodes all come too early.
std::map<int, std::int64_t> shifts_of(const JobTrace& trace)
{
    std::map<std::pair<int, int>, std::int64_t> quickest;
    for (const TraceArrow& arrow : trace.arrows) {
        const int from = trace.ranks[static_cast<std::size_t>(arrow.from)].node;
        const int to = trace.ranks[static_cast<std::size_t>(arrow.to)].node;
        if (from == to)
            continue;
        std::int64_t& least = quickest.try_emplace({from, to}, kEver).first->second;
        least = std::min(least, arrow.arrived_ns - arrow.sent_ns);
    }
    std::map<int, std::int64_t> shifts;
    for (std::size_t round = 0; round <= trace.hosts.size(); ++round) {
        bool changed = false;
        for (const auto& [pair, least] : quickest) {
            const std::int64_t needed = shifts[pair.first] - least;
            std::int64_t& shift = shifts[pair.second];
            changed = changed || shift < needed;
            shift = std::max(shift, needed);
        }
        if (!changed)
            return shifts;
    }
    return {};
}

void keep_order(JobTrace& trace)
{
    const std::map<int, std::int64_t> shifts = shifts_of(trace);
    const auto shift_of = [&shifts](const RankTrace& rank) {
        const auto found = shifts.find(rank.node);
        return found == shifts.end() ? 0 : found->second;
    };
    for (RankTrace& rank : trace.ranks) {
        const std::int64_t shift = shift_of(rank);
        trace.most_shifted_ns = std::max(trace.most_shifted_ns, shift);
        if (shift != 0)
            add_to_times(rank, [shift](std::int64_t time) { return time + shift; });
    }
    for (TraceArrow& arrow : trace.arrows) {
        arrow.sent_ns += shift_of(trace.ranks[static_cast<std::size_t>(arrow.from)]);
        arrow.arrived_ns += shift_of(trace.ranks[static_cast<std::size_t>(arrow.to)]);
        if (arrow.arrived_ns >= arrow.sent_ns)
            continue;
        ++trace.arrived_before_sent;
        trace.most_before_sent_ns = std::max(trace.most_before_sent_ns, arrow.sent_ns - arrow.arrived_ns);
    }
}

void find_span(JobTrace& trace)
{
    std::int64_t begin = kEver;
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    const auto covers = [&](std::int64_t time) {
        begin = std::min(begin, time);
        end = std::max(end, time);
    };
    for (const RankTrace& rank : trace.ranks) {
        for (const TraceCall& call : rank.calls) {
            covers(call.begin_ns);
            covers(rank.end_of(call));
        }
        for (const TraceMessage& message : rank.messages)
            covers(message.time_ns);
    }
    if (begin <= end) {
        trace.begin_ns = begin;
        trace.end_ns = end;
    }
}

}  // namespace

void align(JobTrace& trace, std::span<const ClockTrack> clocks)
{
    for (RankTrace& rank : trace.ranks) {
        const auto node = static_cast<std::size_t>(rank.node);
        if (node >= clocks.size() || clocks[node].size() == 0)
            continue;
        const ClockTrack& clock = clocks[node];
        trace.clock_error_ns = std::max(trace.clock_error_ns, clock.error_ns());
        add_to_times(rank, [&clock](std::int64_t time) { return clock.to_head(time); });
    }
    for (RankTrace& rank : trace.ranks) {
        std::ranges::stable_sort(rank.calls, {}, &TraceCall::begin_ns);
        std::ranges::stable_sort(rank.messages, {}, &TraceMessage::time_ns);
    }
    find_arrows(trace);
    keep_order(trace);
    std::ranges::stable_sort(trace.arrows, {}, &TraceArrow::sent_ns);
    find_span(trace);
}

}  // namespace tutti::launcher
