#include "lib/core/diagnosis/wait_situation.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <string>

#include "lib/core/communicators/call_signature.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/diagnosis/awaited.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/windows/window_service.hpp"
#include "lib/foundation/base/clock.hpp"

namespace tutti::detail {

using observe::StatusSituation;

namespace {

void note(observe::StatusWord& word, std::uint64_t value) noexcept
{
    word.store(value, std::memory_order_relaxed);
}

std::uint64_t rank_word(int rank) noexcept
{
    return static_cast<std::uint32_t>(rank);
}

// The peer of a message, as a rank of the job; -1: any.
int job_rank(Process& process, const observe::CallWords& call)
{
    int peer = call.peer();
    if (call.operation() != observe::Operation::wait_send && peer >= 0)
        process.communicators().with(collective_context_of(call.context),
                                     [&](const CommunicatorState& state) { peer = state.peer_rank(peer); });
    return std::max(peer, -1);
}

WindowWait wait_at_window(Process& process, const observe::CallWords& call)
{
    return process.windows().wait_of(message_context_of(call.context), call.is_collective());
}

// What a wait's words on the page do not say.
std::string more_about(Process& process, const observe::CallWords& call)
{
    std::string text;
    if (call.is_collective() || call.operation() == observe::Operation::window_call)
        text = wait_at_window(process, call).text;
    if (!call.is_collective() || call.signature == 0)
        return text;
    const std::string rest = CallSignature({call.bytes(), call.signature}).describe_rest();
    return text + (text.empty() || rest.empty() ? "" : ", ") + rest;
}

// First what the call itself waits for, if that is one operation.
void list_awaited(Process& process, StatusSituation& now)
{
    using Await = StatusSituation::Await;
    constexpr auto kReceive = static_cast<std::uint64_t>(StatusSituation::Kind::receive);
    constexpr auto kSend = static_cast<std::uint64_t>(StatusSituation::Kind::send);
    constexpr auto kWindow = static_cast<std::uint64_t>(StatusSituation::Kind::window);
    std::size_t listed = 0;
    const auto list = [&](std::uint64_t context, std::uint64_t peer_and_tag, int peer, std::uint64_t flags) {
        if (listed == StatusSituation::kAwaits)
            return;
        Await& entry = now.awaits[listed++];
        note(entry.context, context);
        note(entry.peer_and_tag, peer_and_tag);
        note(entry.peer, rank_word(peer));
        note(entry.flags, flags);
    };
    using observe::Operation;
    const observe::CallWords call = process.status().current();
    const bool sends = call.operation() == Operation::send || call.operation() == Operation::wait_send;
    const bool receives = call.operation() == Operation::recv || call.operation() == Operation::wait_recv;
    const bool probes = call.operation() == Operation::probe;
    const int own_peer = sends || receives || probes ? job_rank(process, call) : -1;
    // The message is matched, and only its data is missing, unless the loop below finds its operation.
    std::uint64_t own_flags =
        (sends ? kSend : kReceive) | Await::kOwn | (probes ? std::uint64_t{0} : Await::kMatched);
    if (sends || receives || probes)
        list(call.context, call.peer_and_tag, own_peer, own_flags);
    // Frames of windows are counted nowhere, so nobody knows that none is under way.
    if (call.operation() == Operation::window_call)
        list(call.context, call.peer_and_tag, wait_at_window(process, call).rank,
             kWindow | Await::kOwn | Await::kMatched);
    std::uint64_t posted = 0;
    std::uint64_t offered = 0;
    for (const auto& [kind, peer, key, send] : awaited_by(process)) {
        if (kind != Awaited::Kind::message && kind != Awaited::Kind::receive)
            continue;
        ++(send != nullptr ? offered : posted);
        const std::uint64_t flags = send != nullptr ? kSend | Await::flags_of(*send->protocol) : kReceive;
        if (key.context == call.context &&
            (send != nullptr ? sends && key.tag() == call.tag() && peer == own_peer
                             : receives && key.source_and_tag == call.peer_and_tag))
            own_flags = flags | Await::kOwn;
        if (!is_of_collectives(key.context))
            list(key.context, key.source_and_tag, peer, flags);
    }
    if (sends || receives)
        note(now.awaits[0].flags, own_flags);
    note(now.posted, posted);
    note(now.offered, offered);
    note(now.awaits_listed, listed);
}

void list_arrivals(Process& process, StatusSituation& now)
{
    constexpr std::size_t kMostShown = 256;  // to look at
    std::size_t listed = 0;
    process.protocol().for_each_unexpected(kMostShown, [&](const protocol::UnexpectedRequest& message) {
        if (listed == StatusSituation::kArrivals || is_of_collectives(message.envelope.context))
            return;
        StatusSituation::Arrival& entry = now.arrivals[listed++];
        note(entry.context, message.envelope.context);
        note(entry.peer_and_tag, message.envelope.source_and_tag);
        note(entry.sender, rank_word(message.sender));
        note(entry.bytes, message.total_bytes);
    });
    note(now.unexpected, process.protocol().unexpected_count());
    note(now.arrivals_listed, listed);
}

}  // namespace

void note_situation(Process& process, std::int64_t waited_ns) noexcept
{
    observe::StatusPage& page = process.status().page();
    StatusSituation& now = page.situation;
    const std::int64_t time_ns = base::now_ns();
    const std::uint64_t sequence = now.sequence.load(std::memory_order_relaxed);
    note(now.sequence, sequence + 1);
    // Release fences: whoever sees a word of this change sees its beginning, whoever sees its end sees all.
    std::atomic_thread_fence(std::memory_order_release);
    note(now.begun, page.begun());
    note(now.in_call, page.in_call() ? 1 : 0);
    note(now.moves, page.traffic.moves());
    note(now.since_ns, static_cast<std::uint64_t>(time_ns - waited_ns));
    note(now.noted_ns, static_cast<std::uint64_t>(time_ns));
    try {
        list_awaited(process, now);
        list_arrivals(process, now);
        observe::store_text(now.text.data(), StatusSituation::kTextBytes,
                            more_about(process, process.status().last_call()));
    } catch (const std::bad_alloc&) {
        // The page says less.
    }
    now.sequence.store(sequence + 2, std::memory_order_release);
}

}  // namespace tutti::detail
