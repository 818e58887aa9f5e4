#include "lib/core/process/rank_status.hpp"

#include <unistd.h>

#include <algorithm>

#include "lib/core/communicators/call_signature.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/diagnosis/awaited.hpp"
#include "lib/core/process/crash_handler.hpp"
#include "lib/core/process/process.hpp"
#include "lib/core/windows/window_service.hpp"
#include "lib/foundation/base/clock.hpp"

namespace tutti::detail {

using base::StatusSituation;

namespace {

std::uint64_t this_thread() noexcept
{
    static thread_local const auto number = [] {
        prepare_thread_for_crash();  // once a thread, by its first call
        return static_cast<std::uint64_t>(gettid());
    }();
    return number;
}

void put(base::StatusWord& word, std::uint64_t value) noexcept
{
    word.store(value, std::memory_order_relaxed);
}

std::uint64_t word_of(int rank) noexcept
{
    return static_cast<std::uint32_t>(rank);
}

// The peer of a message, as a rank of the job; -1: any.
int job_rank(Process& process, const base::CallWords& call)
{
    int peer = call.peer();
    if (call.operation() != base::Operation::wait_send && peer >= 0)
        process.communicators().with(CommunicatorState::collective_context_of(call.context),
                                     [&](const CommunicatorState& state) { peer = state.peer_rank(peer); });
    return std::max(peer, -1);
}

WindowWait wait_at_window(Process& process, const base::CallWords& call)
{
    return process.windows().wait_of(call.context & ~std::uint64_t{1}, call.is_collective());
}

// What a wait's words on the page do not say.
std::string more_about(Process& process, const base::CallWords& call)
{
    std::string text;
    if (call.is_collective() || call.operation() == base::Operation::window_call)
        text = wait_at_window(process, call).text;
    if (!call.is_collective() || call.signature == 0)
        return text;
    const std::string rest = CallSignature({call.bytes(), call.signature}).describe_rest();
    return text + (text.empty() || rest.empty() ? "" : ", ") + rest;
}

}  // namespace

RankStatus::RankStatus(int ranks, bool many_threads, control::Channel* daemon)
    : page_([daemon] {
          base::StatusMemory page = base::StatusMemory::create();
          if (const base::UniqueFd descriptor = page.take_descriptor(); descriptor && daemon != nullptr)
              daemon->show_status(descriptor.get());
          return page;
      }()),
      many_threads_(many_threads),
      profile_(profile::Profile::wanted(ranks, many_threads, daemon)),
      tells_more_(many_threads_ || profile_ != nullptr)
{
    put(page_->many_threads, many_threads ? 1 : 0);
}

// A passing call that is not like the one before, or for the first time.
void RankStatus::write_other(std::uint64_t context, std::uint64_t peer_and_tag, std::uint64_t what) noexcept
{
    base::StatusPage& page = *page_;
    const std::uint64_t entered = page.entered.load(std::memory_order_relaxed);
    const Words call{context, peer_and_tag, what | Words::kPassing,
                     page.repeated.load(std::memory_order_relaxed)};
    if (page.entry(entered, 1).is_message(call)) {
        passed_ = {context, peer_and_tag, what};
        return base::add_to(page.repeated, 1);
    }
    if (passed_.what != 0)
        passed_.what = 0;
    std::atomic_thread_fence(std::memory_order_release);  // as in write()
    page.entry(entered, 0).store(call);
    page.entered.store((entered & ~std::uint64_t{1}) + 2, std::memory_order_release);
}

void RankStatus::begins_more(Words call, int peer) noexcept
{
    if (many_threads_)
        enter_thread(call);
    if (profile_ != nullptr)
        profile_->begins(call, peer);
}

void RankStatus::ended_more() noexcept
{
    if (many_threads_)
        leave_thread();
    if (profile_ != nullptr)
        profile_->ended();
}

void RankStatus::passes_more(std::uint64_t context, std::uint64_t peer_and_tag, std::uint64_t what,
                             std::uint64_t begun) noexcept
{
    profile_->begins({context, peer_and_tag, what}, -1, begun);
    profile_->ended();
}

void RankStatus::passing_begins(std::uint64_t context, std::uint64_t peer_and_tag,
                                std::uint64_t what) noexcept
{
    profile_->begins({context, peer_and_tag, what}, -1);
}

void RankStatus::enter_thread(const Words& call) noexcept
{
    const std::uint64_t own = this_thread();
    base::StatusThread* free = nullptr;
    for (base::StatusThread& thread : page_->threads) {
        const std::uint64_t owner = thread.thread.load(std::memory_order_relaxed);
        if (owner == own)
            return thread.call.store(call);
        if (owner == 0 && free == nullptr)
            free = &thread;
    }
    if (free == nullptr)
        return;
    free->call.store(call);
    free->thread.store(own, std::memory_order_release);
}

void RankStatus::leave_thread() noexcept
{
    const std::uint64_t own = this_thread();
    for (base::StatusThread& thread : page_->threads)
        if (thread.thread.load(std::memory_order_relaxed) == own)
            return put(thread.thread, 0);
}

// The call that this rank is in; none where several threads may be in calls.
base::CallWords RankStatus::current() const noexcept
{
    return page_->in_call() && !many_threads_ ? last_call() : Words();
}

base::CallWords RankStatus::last_call() const noexcept
{
    return page_->entry(page_->entered.load(std::memory_order_relaxed), 1).load();
}

void RankStatus::note(Process& process, std::int64_t waited_ns) noexcept
{
    StatusSituation& now = page_->situation;
    const std::int64_t time_ns = base::now_ns();
    const std::uint64_t sequence = now.sequence.load(std::memory_order_relaxed);
    put(now.sequence, sequence + 1);
    // Release fences: whoever sees a word of this change sees its beginning, whoever sees its end sees all.
    std::atomic_thread_fence(std::memory_order_release);
    put(now.begun, page_->begun());
    put(now.in_call, page_->in_call() ? 1 : 0);
    put(now.moves, page_->traffic.moves());
    put(now.since_ns, static_cast<std::uint64_t>(time_ns - waited_ns));
    put(now.noted_ns, static_cast<std::uint64_t>(time_ns));
    try {
        list_awaited(process);
        list_arrivals(process);
        base::store_text(now.text.data(), StatusSituation::kTextBytes, more_about(process, last_call()));
    } catch (const std::bad_alloc&) {
        // The page says less.
    }
    now.sequence.store(sequence + 2, std::memory_order_release);
}

// First what the call itself waits for, if that is one operation.
void RankStatus::list_awaited(Process& process)
{
    using Await = StatusSituation::Await;
    constexpr auto kReceive = static_cast<std::uint64_t>(StatusSituation::Kind::receive);
    constexpr auto kSend = static_cast<std::uint64_t>(StatusSituation::Kind::send);
    constexpr auto kWindow = static_cast<std::uint64_t>(StatusSituation::Kind::window);
    StatusSituation& now = page_->situation;
    std::size_t listed = 0;
    const auto list = [&](std::uint64_t context, std::uint64_t peer_and_tag, int peer, std::uint64_t flags) {
        if (listed == StatusSituation::kAwaits)
            return;
        Await& entry = now.awaits[listed++];
        put(entry.context, context);
        put(entry.peer_and_tag, peer_and_tag);
        put(entry.peer, word_of(peer));
        put(entry.flags, flags);
    };
    const Words call = current();
    const bool sends = call.operation() == Operation::send || call.operation() == Operation::wait_send;
    const bool receives = call.operation() == Operation::recv || call.operation() == Operation::wait_recv;
    const bool probes = call.operation() == Operation::probe;
    const int own_peer = sends || receives || probes ? job_rank(process, call) : -1;
    // Data alone is missing where the call's operation is none of those that wait.
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
        if (!CommunicatorState::is_of_collectives(key.context))
            list(key.context, key.source_and_tag, peer, flags);
    }
    if (sends || receives)
        put(now.awaits[0].flags, own_flags);
    put(now.posted, posted);
    put(now.offered, offered);
    put(now.awaits_listed, listed);
}

void RankStatus::list_arrivals(Process& process)
{
    constexpr std::size_t kMostMessages = 256;  // to look at
    StatusSituation& now = page_->situation;
    std::size_t listed = 0;
    process.protocol().for_each_unexpected(kMostMessages, [&](const protocol::UnexpectedRequest& message) {
        if (listed == StatusSituation::kArrivals ||
            CommunicatorState::is_of_collectives(message.envelope.context))
            return;
        StatusSituation::Arrival& entry = now.arrivals[listed++];
        put(entry.context, message.envelope.context);
        put(entry.peer_and_tag, message.envelope.source_and_tag);
        put(entry.sender, word_of(message.sender));
        put(entry.bytes, message.total_bytes);
    });
    put(now.unexpected, process.protocol().unexpected_count());
    put(now.arrivals_listed, listed);
}

base::StatusCommunicator& RankStatus::add(std::uint64_t context, int members, int rank) noexcept
{
    const std::lock_guard lock(communicators_);
    if (profile_ != nullptr)
        profile_->add_communicator(context, members);
    for (base::StatusCommunicator& entry : page_->communicators) {
        if (entry.context.load(std::memory_order_relaxed) != 0)
            continue;
        put(entry.number, 0);
        put(entry.members, static_cast<std::uint64_t>(members));
        put(entry.rank, word_of(rank));
        base::store_text(entry.name.data(), base::StatusCommunicator::kNameBytes, "");
        entry.context.store(context + 1, std::memory_order_release);
        return entry;
    }
    base::add_to(page_->communicators_left_out, 1);
    return left_out_;
}

void RankStatus::name(base::StatusCommunicator& entry, std::uint64_t context, std::string_view name) noexcept
{
    const std::lock_guard lock(communicators_);
    base::store_text(entry.name.data(), base::StatusCommunicator::kNameBytes, name);
    if (profile_ != nullptr)
        profile_->name_communicator(context, name);
}

void RankStatus::remove(base::StatusCommunicator& entry) noexcept
{
    const std::lock_guard lock(communicators_);
    if (&entry != &left_out_)
        put(entry.context, 0);
}

base::StatusWord& RankStatus::add_lock(std::uint64_t context, int target, int holder) noexcept
{
    for (base::StatusLock& entry : page_->locks) {
        if (entry.context.load(std::memory_order_relaxed) != 0)
            continue;
        put(entry.target_and_holder, Words::pack(target, holder));
        put(entry.held, 0);
        entry.context.store(context + 1, std::memory_order_release);
        return entry.held;
    }
    base::add_to(page_->locks_left_out, 1);
    return lock_left_out_;
}

void RankStatus::forget_lock(const base::StatusWord& held) noexcept
{
    for (base::StatusLock& entry : page_->locks)
        if (&entry.held == &held)
            put(entry.context, 0);
}

}  // namespace tutti::detail
