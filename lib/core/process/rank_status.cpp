#include "lib/core/process/rank_status.hpp"

#include <unistd.h>

#include "lib/core/process/crash_handler.hpp"

namespace tutti::detail {

namespace {

std::uint64_t this_thread() noexcept
{
    static thread_local const auto number = [] {
        prepare_thread_for_crash();  // once a thread, by its first call
        return static_cast<std::uint64_t>(gettid());
    }();
    return number;
}

void put(observe::StatusWord& word, std::uint64_t value) noexcept
{
    word.store(value, std::memory_order_relaxed);
}

std::uint64_t word_of(int rank) noexcept
{
    return static_cast<std::uint32_t>(rank);
}

}  // namespace

RankStatus::RankStatus(int ranks, bool many_threads, control::Channel* daemon)
    : page_([daemon] {
          observe::StatusMemory page = observe::StatusMemory::create();
          if (const base::UniqueFd descriptor = page.take_descriptor(); descriptor && daemon != nullptr)
              daemon->show_status(descriptor.get());
          return page;
      }()),
      many_threads_(many_threads),
      profile_(profile::Profile::wanted(ranks, many_threads, daemon)),
      notes_more_(many_threads_ || profile_ != nullptr)
{
    put(page_->many_threads, many_threads ? 1 : 0);
}

// A passing call that is not like the one before, or for the first time.
void RankStatus::write_other(std::uint64_t context, std::uint64_t peer_and_tag, std::uint64_t what) noexcept
{
    observe::StatusPage& page = *page_;
    const std::uint64_t entered = page.entered.load(std::memory_order_relaxed);
    const Words call{context, peer_and_tag, what | Words::kPassing,
                     page.repeated.load(std::memory_order_relaxed)};
    if (page.entry(entered, 1).is_message(call)) {
        passed_ = {context, peer_and_tag, what};
        return observe::add_to(page.repeated, 1);
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
    observe::StatusThread* free = nullptr;
    for (observe::StatusThread& thread : page_->threads) {
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
    for (observe::StatusThread& thread : page_->threads)
        if (thread.thread.load(std::memory_order_relaxed) == own)
            return put(thread.thread, 0);
}

observe::StatusCommunicator& RankStatus::add(std::uint64_t context, int members, int rank) noexcept
{
    const std::lock_guard lock(communicators_);
    if (profile_ != nullptr)
        profile_->add_communicator(context, members);
    for (observe::StatusCommunicator& entry : page_->communicators) {
        if (entry.context.load(std::memory_order_relaxed) != 0)
            continue;
        put(entry.number, 0);
        put(entry.members, static_cast<std::uint64_t>(members));
        put(entry.rank, word_of(rank));
        observe::store_text(entry.name.data(), observe::StatusCommunicator::kNameBytes, "");
        entry.context.store(context + 1, std::memory_order_release);
        return entry;
    }
    observe::add_to(page_->communicators_left_out, 1);
    return left_out_;
}

void RankStatus::name(observe::StatusCommunicator& entry, std::uint64_t context,
                      std::string_view name) noexcept
{
    const std::lock_guard lock(communicators_);
    observe::store_text(entry.name.data(), observe::StatusCommunicator::kNameBytes, name);
    if (profile_ != nullptr)
        profile_->name_communicator(context, name);
}

void RankStatus::remove(observe::StatusCommunicator& entry) noexcept
{
    const std::lock_guard lock(communicators_);
    if (&entry != &left_out_)
        put(entry.context, 0);
}

observe::StatusWord& RankStatus::add_lock(std::uint64_t context, int target, int holder) noexcept
{
    for (observe::StatusLock& entry : page_->locks) {
        if (entry.context.load(std::memory_order_relaxed) != 0)
            continue;
        put(entry.target_and_holder, Words::pack(target, holder));
        put(entry.held, 0);
        entry.context.store(context + 1, std::memory_order_release);
        return entry.held;
    }
    observe::add_to(page_->locks_left_out, 1);
    return lock_left_out_;
}

void RankStatus::forget_lock(const observe::StatusWord& held) noexcept
{
    for (observe::StatusLock& entry : page_->locks)
        if (&entry.held == &held)
            put(entry.context, 0);
}

}  // namespace tutti::detail
