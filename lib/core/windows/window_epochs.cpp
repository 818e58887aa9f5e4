// Passive epochs: locks, and the completion of operations within them.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "lib/core/windows/window.hpp"
#include "lib/core/windows/window_control.hpp"
#include "lib/foundation/base/error_detail.hpp"

namespace tutti::detail {

using base::StatusLock;
using progress::Engine;

namespace {

// Flushes between two passes of progress: a program may poll a peer's memory and call nothing else.
constexpr unsigned kFlushesPerPass = 64;

bool is_locked(WindowCover cover) noexcept
{
    return cover == WindowCover::shared || cover == WindowCover::exclusive;
}

void tell_held(const WindowTarget& target, StatusLock::Held held) noexcept
{
    target.held->store(static_cast<std::uint64_t>(held), std::memory_order_relaxed);
}

base::CallWords words_of(std::uint64_t context, std::string_view operation, const WindowAim& aim) noexcept
{
    const auto call = std::ranges::find(base::kWindowCallNames, operation) - base::kWindowCallNames.begin();
    base::CallWords words =
        RankStatus::words(base::Operation::window_call, context, aim.target, 0, aim.bytes);
    words.signature = static_cast<std::uint64_t>(call);
    return words;
}

}  // namespace

// Under the lock.
void Window::cover(int rank, WindowCover cover)
{
    WindowTarget& covered = target(rank);
    if (cover != WindowCover::none && !covered.looked_for)
        look_for(rank);
    covered.cover = cover;
    const bool open = cover != WindowCover::none && cover != WindowCover::not_locked;
    covered.reach = open && accesses_.empty() ? covered.memory : nullptr;
    forget_accesses(rank, true);
}

// Under the lock. This rank has acquired the lock.
void Window::hold(int rank, WindowLock kind)
{
    WindowTarget& held = target(rank);
    if (held.held == nullptr)
        held.held = &process_.status().add_lock(communicator_->context(), rank, communicator_->rank());
    const bool shared = kind == WindowLock::shared;
    tell_held(held, shared ? StatusLock::Held::shared : StatusLock::Held::alone);
    cover(rank, shared ? WindowCover::shared : WindowCover::exclusive);
}

// Under the lock.
void Window::forget_locks() noexcept
{
    for (const WindowTarget& each : targets_)
        if (each.held != nullptr)
            process_.status().forget_lock(*each.held);
}

// An epoch of fence() without operations is none, and the program may begin another one.
void Window::leave_fence()
{
    if (epoch_ != Epoch::fence)
        return;
    for (int rank = 0; rank < communicator_->size(); ++rank)
        cover(rank, WindowCover::none);
    epoch_ = Epoch::none;
}

Window::Failure Window::await(Engine::Lock& lock, std::string_view operation, int rank, const WindowAim& aim,
                              const std::function<bool()>& done)
{
    if (done())
        return nullptr;
    const RankStatus::InCall in_call(process_.status(), words_of(communicator_->context(), operation, aim),
                                     [&] { return rank < 0 ? -1 : communicator_->world_rank(rank); });
    const auto waiting = waiting_.insert(waiting_.end(), {operation, rank, aim});
    Failure failed;
    try {
        process_.engine().wait(lock, [&] { return done() || waiting->failed; });
        failed = done() ? nullptr : waiting->failed;
    } catch (const Error&) {
        failed = std::current_exception();
    }
    waiting_.erase(waiting);
    return failed;
}

Window::Failure Window::acquire(Engine::Lock& lock, WindowLock kind, int rank)
{
    WindowTarget& wanted = target(rank);
    if (!wanted.looked_for)
        look_for(rank);
    const WindowAim aim{.target = rank, .lock = kind};
    if (wanted.control == nullptr)
        return ask(
            lock, "lock", aim,
            kind == WindowLock::shared ? WindowHeader::What::lock_shared : WindowHeader::What::lock_exclusive,
            holds_a_lock() ? 1 : 0, {}, {});
    WindowControl& control = *wanted.control;
    if (control.enter_at_once(kind)) [[likely]]
        return nullptr;
    WindowControl::Turn turn{kind, control.take_ticket(), false};
    control.await(slot_, turn);
    // Behind await(): of ranks that wait for each other's locks, the last one sees that others wait for it.
    if (kind == WindowLock::shared && is_awaited()) {
        turn.in_front = true;
        control.go_in_front(slot_, turn);
    }
    bool entered = false;
    Failure failed = await(lock, "lock", kAnyRank, aim,
                           [&] { return entered = entered || control.enter_in_turn(slot_, turn); });
    if (failed && entered)
        control.leave(kind);
    else if (failed)
        control.give_up(slot_);
    wake_next(wanted);
    return failed;
}

bool Window::holds_a_lock() const noexcept
{
    return std::ranges::any_of(targets_, [](const WindowTarget& each) { return is_locked(each.cover); });
}

// Whether somebody waits for a lock that this rank holds, or may wait for one elsewhere.
bool Window::is_awaited() const noexcept
{
    return std::ranges::any_of(targets_, [](const WindowTarget& each) {
        return is_locked(each.cover) && (each.control == nullptr || each.control->anybody_waits());
    });
}

void Window::release(int rank)
{
    WindowTarget& held = target(rank);
    if (is_locked(held.cover)) {
        const WindowLock kind =
            held.cover == WindowCover::shared ? WindowLock::shared : WindowLock::exclusive;
        tell_held(held, StatusLock::Held::no);
        if (held.control != nullptr) {
            held.control->leave(kind);
            wake_next(held);
        } else {
            // Operations are complete: each has been answered, or awaited.
            const auto what = kind == WindowLock::shared ? WindowHeader::What::unlock_shared
                                                         : WindowHeader::What::unlock_exclusive;
            tell_header(rank, header_of(what, 0, 0), {});
        }
    }
    cover(rank, WindowCover::none);
}

void Window::wake_next(WindowTarget& next)
{
    next.control->wake_next([this](std::size_t slot) {
        const int peer = process_.bootstrap().local_peers()[slot];
        if (peer == process_.rank()) {
            process_.engine().started();  // another thread of this rank
            if (!pending_locks_.empty())
                grant_locks();
        } else
            tell_peer(peer, WindowHeader::What::wake);
    });
}

void Window::tell_peer(int peer, WindowHeader::What what)
{
    const WindowHeader header{protocol::Lead::of(protocol::FrameKind::window_call, communicator_->context()),
                              what, static_cast<std::uint32_t>(communicator_->rank()), 0, 0};
    process_.protocol().tell(peer, header);
    process_.engine().started();
}

Window::Failure Window::lock(WindowLock kind, int rank, unsigned promises)
{
    if (!is_rank(rank))
        return not_a_rank("lock", rank);
    Engine::Lock held = process_.engine().lock();
    leave_fence();
    if (epoch_ != Epoch::none && epoch_ != Epoch::locks)
        return wrong(WindowFault::epoch, "lock", rank,
                     fmt::format("this rank is in an epoch {}; end it first", epoch_in_words()));
    if (target(rank).cover != WindowCover::none)
        return wrong(WindowFault::epoch, "lock", rank,
                     "this rank holds that lock; unlock() comes before the next lock()");
    if ((promises & window_promise::no_check) != 0) {
        cover(rank, WindowCover::unchecked);
    } else {
        if (Failure failed = acquire(held, kind, rank))
            return failed;
        hold(rank, kind);
    }
    ++locked_;
    epoch_ = Epoch::locks;
    return nullptr;
}

Window::Failure Window::unlock(int rank)
{
    if (!is_rank(rank))
        return not_a_rank("unlock", rank);
    Engine::Lock held = process_.engine().lock();
    if (epoch_ != Epoch::locks || target(rank).cover == WindowCover::none)
        return wrong(WindowFault::epoch, "unlock", rank, "this rank has not locked it by lock()");
    settle_unlocked(rank);
    Failure failed = complete_copies(held, "unlock", rank);
    release(rank);
    if (--locked_ == 0)
        epoch_ = Epoch::none;
    return failed;
}

Window::Failure Window::lock_all(unsigned promises)
{
    Engine::Lock held = process_.engine().lock();
    leave_fence();
    if (epoch_ != Epoch::none)
        return wrong(WindowFault::epoch, "lock_all", Error::kNoPeer,
                     fmt::format("this rank is in an epoch {}; end it first", epoch_in_words()));
    const bool unchecked = (promises & window_promise::no_check) != 0;
    // The own memory is also accessed directly, behind no call that could lock it.
    const int own = communicator_->rank();
    if (!unchecked)
        if (Failure failed = acquire(held, WindowLock::shared, own))
            return failed;
    for (int rank = 0; rank < communicator_->size(); ++rank)
        if (unchecked || rank != own)
            cover(rank, unchecked ? WindowCover::unchecked : WindowCover::not_locked);
        else
            hold(rank, WindowLock::shared);
    epoch_ = Epoch::all_locked;
    return nullptr;
}

Window::Failure Window::unlock_all()
{
    Engine::Lock held = process_.engine().lock();
    if (epoch_ != Epoch::all_locked)
        return wrong(WindowFault::epoch, "unlock_all", Error::kNoPeer, "this rank has not called lock_all()");
    settle_unlocked(communicator_->rank());
    Failure failed = complete_copies(held, "unlock_all", kAnyRank);
    for (int rank = 0; rank < communicator_->size(); ++rank)
        release(rank);
    epoch_ = Epoch::none;
    return failed;
}

// They are done when their calls return; they must not be seen behind what this rank does next.
void Window::settle() noexcept
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

// The release of a lock orders them likewise, for all that take the lock or hear of it.
void Window::settle_unlocked(int rank) noexcept
{
    if (target(rank).cover == WindowCover::unchecked)
        settle();
}

Window::Failure Window::complete_at(std::string_view operation, int rank, bool at_target)
{
    if (rank != kAnyRank && !is_rank(rank))
        return not_a_rank(operation, rank);
    if (epoch_ != Epoch::all_locked &&
        (epoch_ != Epoch::locks || (rank != kAnyRank && target(rank).cover == WindowCover::none)))
        return wrong(WindowFault::epoch, operation, rank == kAnyRank ? Error::kNoPeer : rank,
                     "this rank has not locked it; flush is for epochs of lock() and lock_all()");
    settle();
    if (!(at_target ? copies_.all_complete() : copies_.gets_complete())) [[unlikely]] {
        Engine::Lock held = process_.engine().lock();
        if (Failure failed = complete_copies(held, operation, rank, !at_target))
            return failed;
    }
    if (!accesses_.empty()) [[unlikely]] {
        const Engine::Lock held = process_.engine().lock();
        for (int each = 0; each < communicator_->size(); ++each)
            if (rank == kAnyRank || rank == each)
                forget_accesses(each, at_target);
    }
    if (++flushes_ % kFlushesPerPass != 0) [[likely]]
        return nullptr;
    Engine::Lock held = process_.engine().lock();
    return pass(held, operation, rank);
}

// One pass of progress.
Window::Failure Window::pass(Engine::Lock& lock, std::string_view operation, int rank)
{
    try {
        process_.engine().poll(lock);
    } catch (const Error&) {
        return std::current_exception();
    }
    return rank == kAnyRank ? nullptr : loss(operation, rank, "while this rank accesses its memory");
}

Window::Failure Window::sync()
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return nullptr;
}

}  // namespace tutti::detail
