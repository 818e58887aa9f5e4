#include "launcher/profile/trace_read.hpp"

#include <map>

namespace tutti::launcher {

namespace {

std::uint64_t relaxed(const base::StatusWord& word) noexcept
{
    return word.load(std::memory_order_relaxed);
}

/// Calls `take` with each whole entry, the oldest first, and counts those that are not in the ring any more.
template <class Entry>
std::uint64_t for_each_entry(std::span<Entry> ring, std::uint64_t written, const auto& take)
{
    if (ring.empty())
        return 0;
    const std::uint64_t first = written > ring.size() ? written - ring.size() : 0;
    for (std::uint64_t number = first; number < written; ++number) {
        const Entry& entry = ring[number % ring.size()];
        // Acquire: pairs with the release of the writer, behind the rest of the entry.
        if (entry.sequence.load(std::memory_order_acquire) == number + 1)
            take(entry);
    }
    return first;
}

}  // namespace

void read_trace(RankProfile& profile, const base::ProfileMemory& memory, const ProfileClock& clock)
{
    // The kernel's numbers of threads become small ones.
    std::map<std::uint64_t, std::uint32_t> threads = {{relaxed(memory->pid), 0}};
    constexpr std::uint64_t kCallerMask = (1u << base::ProfileKey::kCallerBits) - 1;
    profile.dropped_calls = for_each_entry(
        memory.events(), relaxed(memory->events_written), [&](const base::ProfileEvent& event) {
            const std::uint64_t caller_and_thread = relaxed(event.caller_and_thread);
            const auto next = static_cast<std::uint32_t>(threads.size());
            const std::uint64_t thread = caller_and_thread >> base::ProfileKey::kCallerBits;
            const std::int64_t begin = clock.at(relaxed(event.begin_ticks));
            profile.last_calls.push_back({begin, std::max(begin, clock.at(relaxed(event.end_ticks))),
                                          event.call.load(),
                                          static_cast<std::uint32_t>(caller_and_thread & kCallerMask),
                                          threads.try_emplace(thread, next).first->second});
        });
    if (const std::uint64_t since = relaxed(memory->open_ticks);
        !memory.events().empty() && !profile.left && since != 0) {
        const std::int64_t begin = clock.at(since);
        profile.last_calls.push_back({begin, begin - 1, memory->open.load()});
    }
    // Behind the entries of known peers is that of all others, which share numbers.
    const auto known = static_cast<std::int64_t>(memory.peers().size()) - 1;
    profile.dropped_messages = for_each_entry(
        memory.messages(), relaxed(memory->messages_written), [&](const base::ProfileMessage& message) {
            const base::CallWords words{0, relaxed(message.peer_and_tag)};
            const std::uint64_t bytes = relaxed(message.bytes_and_kind);
            if (words.peer() < known)
                profile.last_messages.push_back(
                    {clock.at(relaxed(message.ticks)), words.peer(), words.tag(), relaxed(message.context),
                     bytes & ~base::ProfileMessage::kArrived, relaxed(message.number),
                     (bytes & base::ProfileMessage::kArrived) != 0});
        });
}

}  // namespace tutti::launcher
