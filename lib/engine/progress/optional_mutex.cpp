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
// Revoking the bias costs some microseconds. So a thread gets it after as many locks in a row as make
// that little; twice as many each time.
constexpr std::uint32_t kOftenInARow = 1024;

}  // namespace

constinit thread_local char OptionalMutex::mark_of_thread = 0;

OptionalMutex::OptionalMutex(bool enabled) noexcept
    : enabled_(enabled), can_bias_(enabled && base::membarrier_register_own())
{
}

void OptionalMutex::lock_enabled()
{
    Bias* const bias = bias_.load(std::memory_order_acquire);
    if (bias->thread == self()) [[likely]] {
        // Dekker's handshake with revoke_bias(): this thread stores `held`, then loads bias_; the revoking
        // one stores bias_, makes a barrier on all threads (membarrier), then loads `held`. So no fence here.
        bias->held.store(true, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (bias_.load(std::memory_order_relaxed) == bias) [[likely]] {
            by_bias_ = bias;
            return;
        }
        bias->held.store(false, std::memory_order_release);
    }
    lock_mutex();
}

void OptionalMutex::unlock_enabled() noexcept
{
    if (by_bias_ != nullptr) [[likely]]
        by_bias_->held.store(false, std::memory_order_release);  // pairs with revoke_bias()
    else
        mutex_.unlock();
}

void OptionalMutex::lock_mutex()
{
    if (!mutex_.try_lock())
        lock_contended();
    if (bias_.load(std::memory_order_relaxed) != &biases_[0])
        revoke_bias();
    by_bias_ = nullptr;
    if (can_bias_ && used_ < kBiases)
        consider_bias();
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

// Called by the holder of mutex_. Dekker's handshake: the biased thread sees that the bias is revoked, or
// this thread sees its `held`.
void OptionalMutex::revoke_bias()
{
    const Bias& taken = *bias_.load(std::memory_order_relaxed);
    bias_.store(&biases_[0], std::memory_order_release);
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

// Called by the holder of mutex_, which may hold the lock by its bias afterwards.
void OptionalMutex::consider_bias() noexcept
{
    if (last_ != self()) {
        last_ = self();
        in_a_row_ = 0;
    }
    if (++in_a_row_ < enough_ || is_wanted())
        return;
    in_a_row_ = 0;
    Bias& next = biases_[used_++];
    next.thread = self();
    next.held.store(true, std::memory_order_relaxed);
    by_bias_ = &next;
    bias_.store(&next, std::memory_order_release);
    mutex_.unlock();  // whoever locks it sees both stores
}

}  // namespace tutti::progress
