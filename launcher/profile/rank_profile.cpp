#include "launcher/profile/rank_profile.hpp"

#include <algorithm>

#include "launcher/profile/trace_read.hpp"
#include "launcher/report/status_words.hpp"
#include "launcher/wire/wire.hpp"

namespace tutti::launcher {

namespace {

using observe::Operation;
using observe::ProfileHeader;
using observe::ProfileKey;
using observe::StatusWord;

/// Of one value: sums of those of all ranks do not overflow.
constexpr std::int64_t kMostNs = std::int64_t{1} << 53;
constexpr std::uint64_t kMostCount = std::uint64_t{1} << 56;
using observe::kLastOperation;
constexpr std::uint8_t kMostSizeClass = observe::CallWords::kBytesBits;

std::uint64_t counted(const StatusWord& word) noexcept
{
    return std::min(word_of(word), kMostCount);
}

void add_calls(RankProfile& profile, const observe::ProfileAggregate& entry, const ProfileClock& clock)
{
    const ProfileKey key{word_of(entry.key)};
    if ((key.word & ProfileKey::kUsed) == 0)
        return;
    RankProfile::Calls calls;
    calls.operation = key.operation();
    calls.size_class = static_cast<std::uint8_t>(key.size_class());
    calls.signature = static_cast<std::uint16_t>(key.signature());
    calls.context = word_of(entry.context);
    calls.caller = key.caller() <= profile.callers.size() ? static_cast<std::int32_t>(key.caller()) - 1 : -1;
    calls.calls = counted(entry.calls);
    calls.bytes = counted(entry.bytes);
    calls.ns = clock.duration(word_of(entry.ticks));
    calls.waiting_ns = std::min(clock.duration(word_of(entry.waiting_ticks)), calls.ns);
    calls.least_ns = clock.duration(word_of(entry.least_ticks));
    calls.most_ns = clock.duration(word_of(entry.most_ticks));
    if (calls.operation <= kLastOperation && calls.size_class <= kMostSizeClass && calls.calls != 0)
        profile.calls.push_back(calls);
}

/// The call in which the rank has ended: all that is known is that it did not come back.
void add_open_call(RankProfile& profile, const ProfileHeader& header, const ProfileClock& clock)
{
    const std::uint64_t since = word_of(header.open_ticks);
    const observe::CallWords call = header.open.load();
    if (profile.left || since == 0 || call.operation() > kLastOperation)
        return;
    const ProfileKey key = ProfileKey::of(call, 0);
    const std::int64_t ns = profile.ended_ns - clock.at(since);
    profile.calls.push_back({call.operation(), static_cast<std::uint8_t>(key.size_class()),
                             static_cast<std::uint16_t>(key.signature()), call.context, -1, 1, call.bytes(),
                             ns, ns, ns, ns});
}

void add_peers(RankProfile& profile, const observe::ProfileMemory& memory, const ProfileClock& clock)
{
    for (std::size_t i = 0; i < memory.peers().size(); ++i) {
        const observe::ProfilePeer& entry = memory.peers()[i];
        RankProfile::Peer peer;
        peer.rank = i + 1 < memory.peers().size() ? static_cast<std::int32_t>(i) : -1;
        peer.sent = counted(entry.sent);
        peer.sent_bytes = counted(entry.sent_bytes);
        peer.collective_sent = counted(entry.collective_sent);
        peer.collective_sent_bytes = counted(entry.collective_sent_bytes);
        peer.arrived = counted(entry.arrived);
        peer.arrived_bytes = counted(entry.arrived_bytes);
        peer.waited_ns = clock.duration(word_of(entry.waited_ticks));
        if (peer.sent + peer.collective_sent + peer.arrived != 0 || peer.waited_ns != 0)
            profile.peers.push_back(peer);
    }
}

CodePlace place_of(const std::string& object, std::uint64_t offset)
{
    constexpr std::string_view kPython = observe::ProfileCaller::kPython;
    if (!object.starts_with(kPython))
        return {object, offset};
    const std::size_t colon = std::min(object.find(':', kPython.size()), object.size() - 1);
    CodePlace place{object.substr(colon + 1), 0, object.substr(kPython.size(), colon - kPython.size())};
    place.line = static_cast<int>(std::min<std::uint64_t>(offset, 1u << 30));
    return place;
}

}  // namespace

base::TickMoment moment_of(const observe::ProfileMemory& memory) noexcept
{
    const bool of_processor = word_of(memory->ticks_are_of_processor) != 0;
    return base::tick_moment(of_processor && base::ticks_are_of_processor());
}

ProfileClock::ProfileClock(const observe::ProfileMemory& memory, const HostTime& host,
                           const base::TickMoment& end) noexcept
    : origin_(host.begin)
{
    if (word_of(memory->ticks_are_of_processor) == 0)  // they are nanoseconds
        origin_ = {static_cast<std::uint64_t>(std::max<std::int64_t>(host.begin.ns, 0)), host.begin.ns};
    else if (host.begin.ns < host.end.ns && host.begin.ticks < host.end.ticks)
        ns_per_tick_ = static_cast<double>(host.end.ns - host.begin.ns) /
                       static_cast<double>(host.end.ticks - host.begin.ticks);
    last_ticks_ = std::max(end.ticks, origin_.ticks);
    first_ticks_ = std::clamp(word_of(memory->joined_ticks), origin_.ticks, last_ticks_);
}

std::int64_t ProfileClock::at(std::uint64_t ticks) const noexcept
{
    return origin_.ns + duration(std::clamp(ticks, first_ticks_, last_ticks_) - origin_.ticks);
}

std::int64_t ProfileClock::duration(std::uint64_t ticks) const noexcept
{
    const double ns = static_cast<double>(ticks) * ns_per_tick_;
    return ns < static_cast<double>(kMostNs) ? static_cast<std::int64_t>(ns) : kMostNs;
}

std::vector<CodePlace> places_of(const observe::ProfileMemory& memory)
{
    std::vector<std::string> objects;
    for (std::size_t i = 0;
         i < std::min<std::uint64_t>(word_of(memory->objects_used), ProfileHeader::kObjects); ++i)
        objects.push_back(text_of(memory->objects[i].data(), ProfileHeader::kPathBytes));
    std::vector<CodePlace> places;
    for (std::size_t i = 0;
         i < std::min<std::uint64_t>(word_of(memory->callers_used), ProfileHeader::kCallers); ++i) {
        const std::uint64_t object = word_of(memory->callers[i].object);
        places.push_back(place_of(object >= 1 && object <= objects.size() ? objects[object - 1] : "",
                                  word_of(memory->callers[i].offset)));
    }
    return places;
}

RankProfile read_profile(int rank, const observe::ProfileMemory& memory, const HostTime& host,
                         const base::TickMoment& end)
{
    const ProfileClock clock(memory, host, end);
    const std::uint64_t left = word_of(memory->left_ticks);
    RankProfile profile;
    profile.rank = rank;
    profile.left = left != 0;
    profile.joined_ns = clock.at(0);
    profile.ended_ns = clock.at(profile.left ? left : end.ticks);
    profile.left_out_calls = counted(memory->left_out_calls);
    profile.left_out_ns = clock.duration(word_of(memory->left_out_ticks));
    profile.left_out_waiting_ns = clock.duration(word_of(memory->left_out_waiting_ticks));
    std::ranges::transform(memory->protocol_messages, profile.protocol_messages.begin(), counted);
    std::ranges::transform(memory->protocol_bytes, profile.protocol_bytes.begin(), counted);
    profile.callers.resize(std::min<std::uint64_t>(word_of(memory->callers_used), ProfileHeader::kCallers));
    for (const observe::ProfileAggregate& entry : memory.aggregates())
        add_calls(profile, entry, clock);
    add_open_call(profile, *memory, clock);
    add_peers(profile, memory, clock);
    for (const observe::ProfileCommunicator& entry : memory->communicators)
        if (const std::uint64_t context = word_of(entry.context); context != 0)
            profile.communicators.push_back(
                {context - 1, static_cast<std::int32_t>(word_of(entry.members) & 0x7fffffff),
                 text_of(entry.name.data(), observe::StatusCommunicator::kNameBytes)});
    profile.dropped_calls = dropped_of(word_of(memory->events_written), memory.events().size());
    profile.dropped_messages = dropped_of(word_of(memory->messages_written), memory.messages().size());
    return profile;
}

void RankProfile::check() const
{
    const auto is_time = [](std::int64_t ns) { return ns >= 0 && ns <= kMostNs; };
    bool valid = rank >= 0 && ended_ns >= joined_ns && is_time(ended_ns - joined_ns) &&
                 left_out_calls <= kMostCount && is_time(left_out_ns) && is_time(left_out_waiting_ns);
    for (const auto* counts : {&protocol_messages, &protocol_bytes})
        valid = valid && counts->size() == observe::kMessageProtocols &&
                std::ranges::all_of(*counts, [](std::uint64_t count) { return count <= kMostCount; });
    for (const Calls& entry : calls)
        valid = valid && entry.operation <= kLastOperation && entry.size_class <= kMostSizeClass &&
                entry.caller >= -1 && entry.caller < static_cast<std::int64_t>(callers.size()) &&
                entry.calls <= kMostCount && entry.bytes <= kMostCount && is_time(entry.ns) &&
                is_time(entry.waiting_ns) && is_time(entry.least_ns) && is_time(entry.most_ns);
    for (const Peer& peer : peers)
        valid = valid && peer.rank >= -1 && peer.sent <= kMostCount && peer.sent_bytes <= kMostCount &&
                peer.collective_sent <= kMostCount && peer.collective_sent_bytes <= kMostCount &&
                peer.arrived <= kMostCount && peer.arrived_bytes <= kMostCount && is_time(peer.waited_ns);
    if (!valid)
        throw WireError("a profile that no rank can have");
}

}  // namespace tutti::launcher
