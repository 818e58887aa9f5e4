// Access epochs: their begin and end, and the completion of operations within them.
#include <atomic>

#include "lib/core/job/process.hpp"
#include "lib/core/windows/window.hpp"

namespace tutti::detail {

namespace {

// Flushes between two passes of progress: a program may poll a peer's memory and call nothing else.
constexpr unsigned kFlushesPerPass = 64;

}  // namespace

void Window::cover(int rank, WindowCover cover)
{
    WindowTarget& covered = targets_[rank];
    if (cover != WindowCover::none)
        targets_.look_for(rank);
    covered.cover = cover;
    const bool open = cover != WindowCover::none && cover != WindowCover::not_locked;
    covered.reach = open && !conflicts_.are_checked() ? covered.memory : nullptr;
    conflicts_.forget(rank, true);
}

void Window::cover_all(WindowCover kind)
{
    for (int rank = 0; rank < identity_.size(); ++rank)
        cover(rank, kind);
}

// An epoch of fence() without operations is none, and the program may begin another one.
void Window::leave_fence()
{
    if (identity_.epoch() != WindowEpoch::fence)
        return;
    cover_all(WindowCover::none);
    identity_.enter(WindowEpoch::none);
}

// Operations on memory that this process maps are done when their calls return. They become visible before
// whatever this rank does next.
void Window::order_mapped_accesses() const noexcept
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

WindowFailure Window::lock(WindowLock kind, int rank, unsigned promises)
{
    if (!identity_.is_rank(rank))
        return identity_.not_a_rank("lock", rank);
    EngineLock held = locked();
    leave_fence();
    if (identity_.epoch() != WindowEpoch::none && identity_.epoch() != WindowEpoch::locks)
        return identity_.in_another_epoch("lock", rank);
    if (targets_[rank].cover != WindowCover::none)
        return identity_.wrong(WindowFault::epoch, "lock", rank,
                               "this rank holds that lock; unlock() comes before the next lock()");
    if ((promises & window_promise::no_check) != 0) {
        cover(rank, WindowCover::unchecked);
    } else {
        if (WindowFailure failed = locks_.acquire(held, kind, rank))
            return failed;
        cover(rank, kind == WindowLock::shared ? WindowCover::shared : WindowCover::exclusive);
    }
    ++locked_targets_;
    identity_.enter(WindowEpoch::locks);
    return nullptr;
}

WindowFailure Window::unlock(int rank)
{
    if (!identity_.is_rank(rank))
        return identity_.not_a_rank("unlock", rank);
    EngineLock held = locked();
    if (identity_.epoch() != WindowEpoch::locks || targets_[rank].cover == WindowCover::none)
        return identity_.wrong(WindowFault::epoch, "unlock", rank, "this rank has not locked it by lock()");
    if (targets_[rank].cover == WindowCover::unchecked)
        order_mapped_accesses();  // else the lock's release does
    WindowFailure failed = network_.complete(held, "unlock", rank);
    locks_.release(rank);
    cover(rank, WindowCover::none);
    if (--locked_targets_ == 0)
        identity_.enter(WindowEpoch::none);
    return failed;
}

WindowFailure Window::lock_all(unsigned promises)
{
    EngineLock held = locked();
    leave_fence();
    if (identity_.epoch() != WindowEpoch::none)
        return identity_.in_another_epoch("lock_all");
    if ((promises & window_promise::no_check) != 0) {
        cover_all(WindowCover::unchecked);
    } else {
        // This rank may access its own memory directly, without a call that could lock it late.
        if (WindowFailure failed = locks_.acquire(held, WindowLock::shared, identity_.rank()))
            return failed;
        cover_all(WindowCover::not_locked);
        cover(identity_.rank(), WindowCover::shared);
    }
    identity_.enter(WindowEpoch::all_locked);
    return nullptr;
}

WindowFailure Window::unlock_all()
{
    EngineLock held = locked();
    if (identity_.epoch() != WindowEpoch::all_locked)
        return identity_.wrong(WindowFault::epoch, "unlock_all", Error::kNoPeer,
                               "this rank has not called lock_all()");
    if (targets_.own().cover == WindowCover::unchecked)
        order_mapped_accesses();  // else the locks' release does
    WindowFailure failed = network_.complete(held, "unlock_all", kAnyRank);
    for (int rank = 0; rank < identity_.size(); ++rank) {
        locks_.release(rank);
        cover(rank, WindowCover::none);
    }
    identity_.enter(WindowEpoch::none);
    return failed;
}

WindowFailure Window::complete_at(std::string_view operation, int rank, bool at_target)
{
    if (rank != kAnyRank && !identity_.is_rank(rank))
        return identity_.not_a_rank(operation, rank);
    if (identity_.epoch() != WindowEpoch::all_locked &&
        (identity_.epoch() != WindowEpoch::locks ||
         (rank != kAnyRank && targets_[rank].cover == WindowCover::none)))
        return identity_.wrong(WindowFault::epoch, operation, rank == kAnyRank ? Error::kNoPeer : rank,
                               "this rank has not locked it; flush is for epochs of lock() and lock_all()");
    order_mapped_accesses();
    if (!(at_target ? network_.all_complete() : network_.gets_complete())) [[unlikely]] {
        EngineLock held = locked();
        if (WindowFailure failed = network_.complete(held, operation, rank, !at_target))
            return failed;
    }
    if (conflicts_.are_checked()) [[unlikely]] {
        const EngineLock held = locked();
        for (int each = 0; each < identity_.size(); ++each)
            if (rank == kAnyRank || rank == each)
                conflicts_.forget(each, at_target);
    }
    if (++flushes_ % kFlushesPerPass != 0) [[likely]]
        return nullptr;
    EngineLock held = locked();
    return waits_.pass(held, operation, rank);
}

WindowFailure Window::sync()
{
    order_mapped_accesses();
    return nullptr;
}

WindowFailure Window::fence(unsigned promises)
{
    WindowFailure incomplete;
    {
        EngineLock held = locked();
        if (identity_.epoch() != WindowEpoch::none && identity_.epoch() != WindowEpoch::fence)
            return identity_.in_another_epoch("fence");
        if (exposure_.is_open())
            return identity_.wrong(
                WindowFault::epoch, "fence", Error::kNoPeer,
                "this rank's memory is exposed by post(); wait() for the end of that epoch first");
        order_mapped_accesses();
        incomplete = network_.complete(held, "fence", kAnyRank);
    }
    // The others wait in the barrier, whatever has failed here.
    WindowFailure failed = waits_.barrier("fence");
    if (incomplete || failed)
        return incomplete ? incomplete : failed;
    const bool goes_on = (promises & window_promise::no_succeed) == 0;
    if (goes_on == (identity_.epoch() == WindowEpoch::fence) && !conflicts_.are_checked()) [[likely]]
        return nullptr;
    const EngineLock held = locked();
    cover_all(goes_on ? WindowCover::fence : WindowCover::none);
    identity_.enter(goes_on ? WindowEpoch::fence : WindowEpoch::none);
    return nullptr;
}

WindowFailure Window::post(std::span<const int> origins, unsigned promises)
{
    const EngineLock held = locked();
    for (const int rank : origins)
        if (!identity_.is_rank(rank))
            return identity_.not_a_rank("post", rank);
    if (!exposure_.is_open())
        leave_fence();
    return exposure_.post(origins, (promises & window_promise::no_check) == 0);
}

WindowFailure Window::start(std::span<const int> targets, unsigned promises)
{
    EngineLock held = locked();
    for (const int rank : targets)
        if (!identity_.is_rank(rank))
            return identity_.not_a_rank("start", rank);
    leave_fence();
    if (identity_.epoch() != WindowEpoch::none)
        return identity_.in_another_epoch("start");
    for (const int rank : targets) {
        if ((promises & window_promise::no_check) == 0)
            if (WindowFailure failed = exposure_.await_post(held, rank))
                return failed;
        cover(rank, WindowCover::started);
    }
    started_.assign(targets.begin(), targets.end());
    identity_.enter(WindowEpoch::started);
    return nullptr;
}

WindowFailure Window::complete()
{
    EngineLock held = locked();
    if (identity_.epoch() != WindowEpoch::started)
        return identity_.wrong(WindowFault::epoch, "complete", Error::kNoPeer,
                               "this rank has not called start()");
    order_mapped_accesses();
    WindowFailure failed = network_.complete(held, "complete", kAnyRank);
    for (const int rank : started_) {
        cover(rank, WindowCover::none);
        if (WindowFailure not_sent = exposure_.complete(rank))
            failed = std::move(not_sent);
    }
    identity_.enter(WindowEpoch::none);
    return failed;
}

WindowFailure Window::wait()
{
    EngineLock held = locked();
    return exposure_.wait(held);
}

WindowFailure Window::test(bool& done)
{
    EngineLock held = locked();
    return exposure_.test(held, done);
}

}  // namespace tutti::detail
