// Access epochs: their begin and end, and the completion of operations within them.
#include <atomic>

#include "lib/core/process/process.hpp"
#include "lib/core/windows/rank_window.hpp"

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
    const bool open = cover != WindowCover::none && cover != WindowCover::not_locked;
    covered.reach.store(open && !is_checked() ? covered.memory : nullptr, std::memory_order_release);
    covered.cover.store(cover, std::memory_order_release);
    conflicts_.forget(rank, true);
    loans_.end(rank);
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
void Window::order_mapped_accesses() noexcept
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Window::lock(WindowLock kind, int rank, unsigned promises)
{
    identity_.check_rank("lock", rank);
    EngineLock held = locked();
    leave_fence();
    if (identity_.epoch() != WindowEpoch::none && identity_.epoch() != WindowEpoch::locks)
        identity_.refuse_epoch("lock", rank);
    if (targets_[rank].cover != WindowCover::none)
        identity_.refuse(WindowFault::epoch, "lock", rank,
                         "this rank holds that lock; unlock() comes before the next lock()");
    if ((promises & window_promise::no_check) != 0) {
        cover(rank, WindowCover::unchecked);
    } else {
        locks_.acquire(held, kind, rank);
        cover(rank, kind == WindowLock::shared ? WindowCover::shared : WindowCover::exclusive);
    }
    ++locked_targets_;
    identity_.enter(WindowEpoch::locks);
}

void Window::unlock(int rank)
{
    identity_.check_rank("unlock", rank);
    EngineLock held = locked();
    if (identity_.epoch() != WindowEpoch::locks || targets_[rank].cover == WindowCover::none)
        identity_.refuse(WindowFault::epoch, "unlock", rank, "this rank has not locked it by lock()");
    if (targets_[rank].cover == WindowCover::unchecked)
        order_mapped_accesses();  // else the lock's release does
    const std::exception_ptr failed = caught([&] { collect(held, "unlock", rank); });
    locks_.release(rank);
    cover(rank, WindowCover::none);
    if (--locked_targets_ == 0)
        identity_.enter(WindowEpoch::none);
    if (failed)
        std::rethrow_exception(failed);
}

void Window::lock_all(unsigned promises)
{
    EngineLock held = locked();
    leave_fence();
    if (identity_.epoch() != WindowEpoch::none)
        identity_.refuse_epoch("lock_all");
    if ((promises & window_promise::no_check) != 0) {
        cover_all(WindowCover::unchecked);
    } else {
        // This rank may access its own memory directly, without a call that could lock it late.
        locks_.acquire(held, WindowLock::shared, identity_.rank());
        cover_all(WindowCover::not_locked);
        cover(identity_.rank(), WindowCover::shared);
    }
    identity_.enter(WindowEpoch::all_locked);
}

void Window::unlock_all()
{
    EngineLock held = locked();
    if (identity_.epoch() != WindowEpoch::all_locked)
        identity_.refuse(WindowFault::epoch, "unlock_all", Error::kNoPeer,
                         "this rank has not called lock_all()");
    if (targets_.own().cover == WindowCover::unchecked)
        order_mapped_accesses();  // else the locks' release does
    const std::exception_ptr failed = caught([&] { collect(held, "unlock_all", kAnyRank); });
    for (int rank = 0; rank < identity_.size(); ++rank) {
        locks_.release(rank);
        cover(rank, WindowCover::none);
    }
    identity_.enter(WindowEpoch::none);
    if (failed)
        std::rethrow_exception(failed);
}

void Window::complete_at(std::string_view operation, int rank, bool at_target)
{
    if (rank != kAnyRank)
        identity_.check_rank(operation, rank);
    if (identity_.epoch() != WindowEpoch::all_locked &&
        (identity_.epoch() != WindowEpoch::locks ||
         (rank != kAnyRank && targets_[rank].cover == WindowCover::none)))
        identity_.refuse(WindowFault::epoch, operation, rank == kAnyRank ? Error::kNoPeer : rank,
                         "this rank has not locked it; flush is for epochs of lock() and lock_all()");
    order_mapped_accesses();
    if (!(at_target ? queued_.all_complete() && network_.all_complete()
                    : queued_.complete_here() && network_.gets_complete())) [[unlikely]] {
        EngineLock held = locked();
        collect(held, operation, rank, !at_target);
    }
    if (is_checked()) [[unlikely]] {
        const EngineLock held = locked();
        for (int each = 0; each < identity_.size(); ++each)
            if (rank == kAnyRank || rank == each) {
                conflicts_.forget(each, at_target);
                loans_.end(each);
            }
    }
    const unsigned flushes = flushes_.load(std::memory_order_relaxed) + 1;
    flushes_.store(flushes, std::memory_order_relaxed);
    if (flushes % kFlushesPerPass != 0) [[likely]]
        return;
    EngineLock held = locked();
    waits_.pass(held, operation, rank);
}

void Window::collect(EngineLock& lock, std::string_view collector, int rank, bool only_here)
{
    const std::exception_ptr queued = caught([&] { queued_.complete(lock, collector, rank, only_here); });
    network_.complete(lock, collector, rank, only_here);
    if (queued)
        std::rethrow_exception(queued);
}

void Window::fence(unsigned promises)
{
    std::exception_ptr incomplete;
    {
        EngineLock held = locked();
        if (identity_.epoch() != WindowEpoch::none && identity_.epoch() != WindowEpoch::fence)
            identity_.refuse_epoch("fence");
        if (exposure_.is_open())
            identity_.refuse(
                WindowFault::epoch, "fence", Error::kNoPeer,
                "this rank's memory is exposed by post(); wait() for the end of that epoch first");
        order_mapped_accesses();
        incomplete = caught([&] { collect(held, "fence", kAnyRank); });
    }
    // The others wait in the barrier, whatever has failed here.
    const std::exception_ptr failed = caught([&] { waits_.barrier("fence"); });
    if (incomplete || failed)
        std::rethrow_exception(incomplete ? incomplete : failed);
    const bool goes_on = (promises & window_promise::no_succeed) == 0;
    if (goes_on == (identity_.epoch() == WindowEpoch::fence) && !is_checked()) [[likely]]
        return;
    const EngineLock held = locked();
    cover_all(goes_on ? WindowCover::fence : WindowCover::none);
    identity_.enter(goes_on ? WindowEpoch::fence : WindowEpoch::none);
}

void Window::post(std::span<const int> origins, unsigned promises)
{
    const EngineLock held = locked();
    for (const int rank : origins)
        identity_.check_rank("post", rank);
    if (!exposure_.is_open())
        leave_fence();
    exposure_.post(origins, (promises & window_promise::no_check) == 0);
}

void Window::start(std::span<const int> targets, unsigned promises)
{
    EngineLock held = locked();
    for (const int rank : targets)
        identity_.check_rank("start", rank);
    leave_fence();
    if (identity_.epoch() != WindowEpoch::none)
        identity_.refuse_epoch("start");
    for (const int rank : targets) {
        if ((promises & window_promise::no_check) == 0)
            exposure_.await_post(held, rank);
        cover(rank, WindowCover::started);
    }
    started_.assign(targets.begin(), targets.end());
    identity_.enter(WindowEpoch::started);
}

void Window::complete()
{
    EngineLock held = locked();
    if (identity_.epoch() != WindowEpoch::started)
        identity_.refuse(WindowFault::epoch, "complete", Error::kNoPeer, "this rank has not called start()");
    order_mapped_accesses();
    std::exception_ptr failed = caught([&] { collect(held, "complete", kAnyRank); });
    for (const int rank : started_) {
        cover(rank, WindowCover::none);
        if (const std::exception_ptr unsent = caught([&] { exposure_.complete(rank); }))
            failed = unsent;
    }
    identity_.enter(WindowEpoch::none);
    if (failed)
        std::rethrow_exception(failed);
}

void Window::wait()
{
    EngineLock held = locked();
    exposure_.wait(held);
}

bool Window::test()
{
    EngineLock held = locked();
    return exposure_.test(held);
}

}  // namespace tutti::detail
