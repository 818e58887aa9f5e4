#include "lib/foundation/observe/profile_writer.hpp"

#include <unistd.h>

#include "lib/foundation/base/clock.hpp"

namespace tutti::observe {

namespace {

constexpr std::size_t kMostProbes = 64;

void put_word(StatusWord& word, std::uint64_t value) noexcept
{
    word.store(value, std::memory_order_relaxed);
}

std::uint64_t get_word(const StatusWord& word) noexcept
{
    return word.load(std::memory_order_relaxed);
}

std::uint64_t number_of_thread() noexcept
{
    static thread_local const auto number = static_cast<std::uint64_t>(gettid());
    return number;
}

bool is_of_collective(std::uint64_t context) noexcept
{
    return (context & 1) != 0;
}

// The next entry of a ring. It is empty until its sequence is stored.
template <class Entry>
Entry& next_of(std::span<Entry> ring, StatusWord& written) noexcept
{
    Entry& entry = ring[get_word(written) % ring.size()];
    put_word(entry.sequence, 0);
    // Release: whoever sees a word of the new entry sees that the old one is gone.
    std::atomic_thread_fence(std::memory_order_release);
    return entry;
}

template <class Entry>
void finish(Entry& entry, StatusWord& written) noexcept
{
    const std::uint64_t number = get_word(written) + 1;
    entry.sequence.store(number, std::memory_order_release);
    put_word(written, number);
}

}  // namespace

ProfileWriter::ProfileWriter(ProfileMemory memory, bool many_threads) noexcept
    : memory_(std::move(memory)), many_threads_(many_threads)
{
    put_word(memory_->ticks_are_of_processor, of_processor_ ? 1 : 0);
    const base::TickMoment joined = base::tick_moment(of_processor_);
    put_word(memory_->joined_ns, static_cast<std::uint64_t>(joined.ns));
    put_word(memory_->joined_ticks, joined.ticks);
}

ProfileWriter::Open& ProfileWriter::open() noexcept
{
    static thread_local Open call;
    return call;
}

void ProfileWriter::begins(const CallWords& call, int peer, std::uint64_t caller,
                           std::uint64_t begin_ticks) noexcept
{
    Open& mine = open();
    if (mine.open)
        ended();
    mine = {true, call, peer, caller, begin_ticks, 0};
    if (many_threads_)
        return;
    memory_->open.store(call);
    put_word(memory_->open_ticks, begin_ticks);
}

void ProfileWriter::ended() noexcept
{
    Open& mine = open();
    if (!mine.open)
        return;
    mine.open = false;
    count(mine, now(), number_of_thread());
    put_word(memory_->open_ticks, 0);
}

void ProfileWriter::helper_was_in(const CallWords& call, std::uint64_t thread, std::uint64_t begin_ticks,
                                  std::uint64_t end_ticks) noexcept
{
    count({.call = call, .begin_ticks = begin_ticks}, end_ticks, thread);
}

void ProfileWriter::count(const Open& call, std::uint64_t end_ticks, std::uint64_t thread) noexcept
{
    const std::uint64_t took = end_ticks > call.begin_ticks ? end_ticks - call.begin_ticks : 0;
    const std::uint64_t waited = std::min(call.waited_ticks, took);
    ProfileAggregate* const entry = find(ProfileKey::of(call.call, call.caller).word, call.call.context);
    if (entry != nullptr) [[likely]] {
        const bool first = get_word(entry->calls) == 0;
        add_to(entry->calls, 1);
        add_to(entry->bytes, call.call.bytes());
        add_to(entry->ticks, took);
        add_to(entry->waiting_ticks, waited);
        if (first || took < get_word(entry->least_ticks))
            put_word(entry->least_ticks, took);
        if (took > get_word(entry->most_ticks))
            put_word(entry->most_ticks, took);
    } else {
        add_to(memory_->left_out_calls, 1);
        add_to(memory_->left_out_ticks, took);
        add_to(memory_->left_out_waiting_ticks, waited);
    }
    if (!memory_.events().empty())
        note_event(call, end_ticks, thread);
}

// Entries are never removed. nullptr: there is no place.
ProfileAggregate* ProfileWriter::find(std::uint64_t key, std::uint64_t context) noexcept
{
    constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15;
    const std::span<ProfileAggregate> entries = memory_.aggregates();
    std::size_t index = ((key ^ context * kMultiplier) * kMultiplier) >> 40;
    for (std::size_t probe = 0; probe < kMostProbes; ++probe, ++index) {
        ProfileAggregate& entry = entries[index % entries.size()];
        if (get_word(entry.key) == 0) {
            put_word(entry.context, context);
            put_word(entry.key, key);
            return &entry;
        }
        if (get_word(entry.key) == key && get_word(entry.context) == context)
            return &entry;
    }
    return nullptr;
}

void ProfileWriter::note_event(const Open& call, std::uint64_t end_ticks, std::uint64_t thread) noexcept
{
    ProfileEvent& event = next_of(memory_.events(), memory_->events_written);
    put_word(event.begin_ticks, call.begin_ticks);
    put_word(event.end_ticks, end_ticks);
    event.call.store(call.call);
    put_word(event.caller_and_thread, thread << ProfileKey::kCallerBits | call.caller);
    finish(event, memory_->events_written);
}

void ProfileWriter::sent(int peer, std::uint64_t context, int tag, std::uint64_t bytes,
                         std::optional<MessageProtocol> protocol, std::uint64_t at) noexcept
{
    ProfilePeer& to = entry(peer);
    const bool collective = is_of_collective(context);
    add_to(collective ? to.collective_sent : to.sent, 1);
    add_to(collective ? to.collective_sent_bytes : to.sent_bytes, bytes);
    if (protocol)
        took(*protocol, bytes);
    if (!memory_.messages().empty())
        note_message(peer, context, tag, get_word(to.sent) + get_word(to.collective_sent), bytes, protocol,
                     false, at);
}

void ProfileWriter::arrived(int peer, std::uint64_t context, int tag, std::uint64_t bytes,
                            MessageProtocol protocol) noexcept
{
    ProfilePeer& from = entry(peer);
    add_to(from.arrived, 1);
    add_to(from.arrived_bytes, bytes);
    last_peer_ = peer;
    if (!memory_.messages().empty())
        note_message(peer, context, tag, get_word(from.arrived), bytes, protocol, true,
                     base::ticks_after_loads(of_processor_));
}

void ProfileWriter::took(MessageProtocol protocol, std::uint64_t bytes) noexcept
{
    add_to(memory_->protocol_messages[static_cast<std::size_t>(protocol)], 1);
    add_to(memory_->protocol_bytes[static_cast<std::size_t>(protocol)], bytes);
}

void ProfileWriter::note_message(int peer, std::uint64_t context, int tag, std::uint64_t number,
                                 std::uint64_t bytes, std::optional<MessageProtocol> protocol, bool arrived,
                                 std::uint64_t at) noexcept
{
    ProfileMessage& message = next_of(memory_.messages(), memory_->messages_written);
    put_word(message.ticks, at);
    put_word(message.peer_and_tag, CallWords::pack(peer, tag));
    put_word(message.context, context);
    put_word(message.number, number);
    put_word(message.bytes_and_kind, (arrived ? ProfileMessage::kArrived : 0) |
                                         code_of(protocol) << ProfileMessage::kBytesBits | bytes);
    finish(message, memory_->messages_written);
}

void ProfileWriter::waited(std::uint64_t ticks) noexcept
{
    Open& mine = open();
    mine.waited_ticks += ticks;
    const int peer = mine.open && mine.peer >= 0 ? mine.peer : last_peer_;
    last_peer_ = -1;
    if (mine.open && peer >= 0)
        add_to(entry(peer).waited_ticks, ticks);
}

std::uint64_t ProfileWriter::fresh_since() const noexcept
{
    const Open& mine = open();
    return mine.open && mine.waited_ticks == 0 ? mine.begin_ticks : 0;
}

}  // namespace tutti::observe
