#include "launcher/profile/trace_read.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace tutti::launcher {

namespace {

/// Of either kind, a step: a frame of half a MiB.
constexpr std::size_t kStep = 8192;

std::uint64_t relaxed(const observe::StatusWord& word) noexcept
{
    return word.load(std::memory_order_relaxed);
}

/// Calls `take` with the next whole entries of the ring.
template <class Entry>
void take_some(std::span<Entry> ring, auto& place, std::size_t most, const auto& take)
{
    for (; place.next < place.end && most > 0; ++place.next, --most) {
        const Entry& entry = ring[place.next % ring.size()];
        // Acquire: pairs with the release of the writer, behind the rest of the entry.
        if (entry.sequence.load(std::memory_order_acquire) == place.next + 1)
            take(entry);
    }
}

}  // namespace

std::uint64_t dropped_of(std::uint64_t written, std::size_t ring) noexcept
{
    return ring > 0 && written > ring ? written - ring : 0;
}

TraceReader::TraceReader(const observe::ProfileMemory& memory, const HostTime& host,
                         const base::TickMoment& end)
    : memory_(memory),
      clock_(memory, host, end),
      has_open_call_(!memory.events().empty() && relaxed(memory->left_ticks) == 0 &&
                     relaxed(memory->open_ticks) != 0),
      threads_{{relaxed(memory->pid), 0}}
{
    const auto place = [](std::uint64_t written, std::size_t ring) {
        return ring > 0 ? Place{dropped_of(written, ring), written} : Place{};
    };
    calls_ = place(relaxed(memory->events_written), memory.events().size());
    messages_ = place(relaxed(memory->messages_written), memory.messages().size());
}

bool TraceReader::next(TraceChunk& chunk)
{
    chunk = {};
    const auto is_done = [](const Place& place) { return place.next >= place.end; };
    while (chunk.calls.empty() && chunk.messages.empty()) {
        if (!is_done(calls_))
            take_some(memory_.events(), calls_, kStep,
                      [&](const observe::ProfileEvent& event) { add_call(chunk, event); });
        else if (std::exchange(has_open_call_, false))
            add_open_call(chunk);
        else if (!is_done(messages_))
            take_some(memory_.messages(), messages_, kStep,
                      [&](const observe::ProfileMessage& message) { add_message(chunk, message); });
        else
            return false;
    }
    return true;
}

void TraceReader::add_call(TraceChunk& chunk, const observe::ProfileEvent& event)
{
    constexpr std::uint64_t kCallerMask = (1u << observe::ProfileKey::kCallerBits) - 1;
    const std::uint64_t caller_and_thread = relaxed(event.caller_and_thread);
    const auto next = static_cast<std::uint32_t>(threads_.size());
    const std::uint64_t thread = caller_and_thread >> observe::ProfileKey::kCallerBits;
    const std::int64_t begin = clock_.at(relaxed(event.begin_ticks));
    chunk.calls.push_back({begin, std::max(begin, clock_.at(relaxed(event.end_ticks))), event.call.load(),
                           static_cast<std::uint32_t>(caller_and_thread & kCallerMask),
                           threads_.try_emplace(thread, next).first->second});
}

void TraceReader::add_open_call(TraceChunk& chunk)
{
    const std::int64_t begin = clock_.at(relaxed(memory_->open_ticks));
    chunk.calls.push_back({begin, begin - 1, memory_->open.load()});
}

void TraceReader::add_message(TraceChunk& chunk, const observe::ProfileMessage& message)
{
    const observe::CallWords words{0, relaxed(message.peer_and_tag)};
    using observe::ProfileMessage;
    const std::uint64_t word = relaxed(message.bytes_and_kind);
    const std::uint64_t bytes = word & ((std::uint64_t{1} << ProfileMessage::kBytesBits) - 1);
    const std::uint64_t protocol = (word & ~ProfileMessage::kArrived) >> ProfileMessage::kBytesBits;
    // Behind the entries of known peers is that of all others, which share numbers.
    if (words.peer() < static_cast<std::int64_t>(memory_.peers().size()) - 1)
        chunk.messages.push_back(
            {clock_.at(relaxed(message.ticks)), words.peer(), words.tag(), relaxed(message.context), bytes,
             relaxed(message.number), (word & ProfileMessage::kArrived) != 0,
             static_cast<std::uint8_t>(observe::code_of(observe::protocol_of(protocol)))});
}

}  // namespace tutti::launcher
