// The engine's lock: a biased lock. The thread that calls again and again takes it with plain stores; any
// other thread first revokes that bias.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace tutti::progress {

/// A mutex that costs one branch if only one thread calls Tutti, and a few plain instructions if several may
/// and one does. Where the kernel offers no barrier on a process's threads (membarrier), it is never biased.
class OptionalMutex {
public:
    explicit OptionalMutex(bool enabled) noexcept;
    OptionalMutex(const OptionalMutex&) = delete;
    OptionalMutex& operator=(const OptionalMutex&) = delete;

    // Short, so that every call of the library contains them.
    void lock()
    {
        if (enabled_) [[unlikely]]
            lock_enabled();
    }
    void unlock() noexcept
    {
        if (enabled_) [[unlikely]]
            unlock_enabled();
    }
    /// Whether a thread waits for the lock.
    bool is_wanted() const noexcept { return waiters_.load(std::memory_order_relaxed) != 0; }
    /// Whether it is biased to the calling thread.
    bool is_biased_here() const noexcept { return bias_.load(std::memory_order_acquire)->thread == self(); }

private:
    using Thread = std::uintptr_t;
    static constexpr Thread kNobody = 0;

    /// Differs between threads alive at once. A later thread may have that of an ended one, with its memory.
    static Thread self() noexcept { return reinterpret_cast<Thread>(&mark_of_thread); }
    static thread_local char mark_of_thread [[gnu::tls_model("initial-exec")]];

    void lock_enabled();
    void unlock_enabled() noexcept;
    void lock_mutex();
    void lock_contended();
    void revoke_bias();
    void consider_bias() noexcept;

    // A bias: to one thread, until another one revokes it. The thread may store `held` even after that, so
    // each object is used once.
    struct Bias {
        Thread thread = kNobody;
        std::atomic<bool> held{false};  // the thread has the lock, or tries to
    };
    static constexpr std::size_t kBiases = 16;

    const bool enabled_;
    const bool can_bias_;
    Bias* by_bias_ = nullptr;  // how the lock is held, for its holder; nullptr: by mutex_
    std::array<Bias, kBiases> biases_;
    // Stored under mutex_, with release for the object. mutex_ is the lock only while the bias is to nobody.
    std::atomic<Bias*> bias_{&biases_[0]};
    std::size_t used_ = 1;  // of biases_; the first one is to nobody
    std::mutex mutex_;
    std::atomic<unsigned> waiters_{0};  // relaxed: a hint
    // Under mutex_: the thread that locked it last, how often in a row, and how often gives it the bias.
    Thread last_ = kNobody;
    std::uint32_t in_a_row_ = 0;
    std::uint32_t enough_ = 1;
};

}  // namespace tutti::progress
