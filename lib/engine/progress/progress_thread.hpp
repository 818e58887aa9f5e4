// The thread that makes progress while the program computes (TUTTI_PROGRESS=thread).
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "lib/engine/progress/engine.hpp"

namespace tutti::progress {

/// Works while requests are active or work follows their end, and no program thread waits in a call: such a
/// thread makes the progress itself. Otherwise this thread sleeps on its own word, and arrivals do not wake
/// it.
///
/// If the rank has a spare core, the thread avoids the core that it was created on and waits like every rank:
/// it spins, yields, then sleeps on the doorbell. It waits in the same way for the next request, as waking an
/// idle core takes as long as many collectives. On the program's own core it sleeps at once, and each arrival
/// interrupts the program while it is handled.
class ProgressThread {
public:
    /// Throws tutti::Error (not_supported) if the system gives no thread.
    ProgressThread(Engine& engine, bool spare_core);
    /// Waits for the thread to end. Not under the lock.
    ~ProgressThread();
    ProgressThread(const ProgressThread&) = delete;
    ProgressThread& operator=(const ProgressThread&) = delete;

    /// Says that there may be work; with or without the lock.
    void look_again() noexcept;

    // Under the engine's lock:

    /// A program thread waits in a call and handles arrivals from now on.
    void stand_back() noexcept;
    /// Called if there may be work.
    void wake() noexcept;

private:
    void run(int program_cpu) noexcept;
    void work(Engine::Lock& lock);
    void sleep_armed(Engine::Lock& lock);
    void sleep_idle(Engine::Lock& lock, std::uint32_t before);

    Engine& engine_;
    const bool spare_core_;
    // Under the engine's lock:
    bool stopping_ = false;
    bool armed_ = false;                     // arrivals ring for this thread
    enum class Sleep { none, idle, armed };  // none: awake, or woken already
    Sleep sleeps_ = Sleep::none;
    std::atomic<std::uint32_t> own_word_{0};
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace tutti::progress
