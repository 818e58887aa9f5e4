#include "lib/engine/progress/optional_mutex.hpp"

#include <sched.h>

#include <algorithm>

#include "lib/foundation/base/futex.hpp"
#include "lib/foundation/base/pause.hpp"

namespace tutti::progress {

namespace {

// Tries before a sleep: a pass of progress mostly holds the lock for a microsecond or two, less than a sleep
// takes.
constexpr int kLockTries = 64;
// To take the lean away costs some microseconds. So a thread gets it after as many locks in a row as make
// that little; twice as many each time.
constexpr std::uint32_t kOftenInARow = 1024;

}  // namespace

constinit thread_local char OptionalMutex::mark_of_thread = 0;

OptionalMutex::OptionalMutex(bool enabled) noexcept
    : enabled_(enabled), can_lean_(enabled && base::membarrier_register_own())
{
}

void OptionalMutex::lock_enabled()
{
    Lean* const lean = lean_.load(std::memory_order_acquire);
    if (lean->thread == self()) [[likely]] {
        // Dekker pair with take_lean(): this thread stores `held` and then looks at lean_; the other
        // stores lean_, makes a barrier on all threads, and then looks at `held`. So no fence here.
        lean->held.store(true, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (lean_.load(std::memory_order_relaxed) == lean) [[likely]] {
            by_lean_ = lean;
            return;
        }
        lean->held.store(false, std::memory_order_release);
    }
    lock_mutex();
}

void OptionalMutex::unlock_enabled() noexcept
{
    if (by_lean_ != nullptr) [[likely]]
        by_lean_->held.store(false, std::memory_order_release);  // pairs with take_lean()
    else
        mutex_.unlock();
}

void OptionalMutex::lock_mutex()
{
    if (!mutex_.try_lock())
        lock_contended();
    if (lean_.load(std::memory_order_relaxed) != &leans_[0])
        take_lean();
    by_lean_ = nullptr;
    if (can_lean_ && used_ < kLeans)
        consider_leaning();
}

void OptionalMutex::lock_contended()
{
    waiters_.fetch_add(1, std::memory_order_relaxed);
    bool locked = false;
    for (int tries = 0; tries < kLockTries && !locked; ++tries) {
        base::pause();
        locked = mutex_.try_lock();
    }
    if (!locked)
        mutex_.lock();
    waiters_.fetch_sub(1, std::memory_order_relaxed);
}

// The holder of mutex_ calls it. The thread that the lock leans to either sees that it does no longer, or its
// `held` is seen here.
void OptionalMutex::take_lean()
{
    const Lean& taken = *lean_.load(std::memory_order_relaxed);
    lean_.store(&leans_[0], std::memory_order_release);
    base::membarrier_own();
    waiters_.fetch_add(1, std::memory_order_relaxed);
    for (int tries = 0; taken.held.load(std::memory_order_acquire); ++tries) {
        if (tries < kLockTries)
            base::pause();
        else
            sched_yield();
    }
    waiters_.fetch_sub(1, std::memory_order_relaxed);
    enough_ = std::max(2 * enough_, kOftenInARow);
}

// The holder of mutex_ calls it, and afterwards may hold the lock by its lean instead.
void OptionalMutex::consider_leaning() noexcept
{
    if (last_ != self()) {
        last_ = self();
        in_a_row_ = 0;
    }
    if (++in_a_row_ < enough_ || is_wanted())
        return;
    in_a_row_ = 0;
    Lean& next = leans_[used_++];
    next.thread = self();
    next.held.store(true, std::memory_order_relaxed);
    by_lean_ = &next;
    lean_.store(&next, std::memory_order_release);
    mutex_.unlock();  // whoever locks it sees both stores
}

}  // namespace tutti::progress
