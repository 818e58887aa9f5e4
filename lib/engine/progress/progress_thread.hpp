// The thread that makes progress while the program computes (TUTTI_PROGRESS=thread).
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "lib/engine/progress/engine.hpp"

namespace tutti::progress {

/// At work while requests are active and no thread of the program waits in a call, where it makes the
/// progress itself. Otherwise it sleeps on a word of its own, and arrivals do not wake it.
///
/// Where the rank has cores to spare the thread keeps off the one that it was made on, and waits as every
/// rank does: it spins, yields, then sleeps on the doorbell. It also waits so for the next request once the
/// last has ended: to wake an idle core takes as long as many a collective. On the program's own core it
/// sleeps at once, and each arrival interrupts the program for as long as it takes to handle.
class ProgressThread {
public:
    /// Throws tutti::Error (not_supported) when the system gives no thread.
    ProgressThread(Engine& engine, bool spare_core);
    /// Waits for the thread to end. Not under the lock.
    ~ProgressThread();
    ProgressThread(const ProgressThread&) = delete;
    ProgressThread& operator=(const ProgressThread&) = delete;

    // Under the engine's lock:

    /// A thread of the program waits in a call from now on: arrivals are for it.
    void stand_back() noexcept;
    /// There may be something to do.
    void wake() noexcept;

private:
    void run(int program_cpu) noexcept;
    void work(Engine::Lock& lock);
    void sleep_armed(Engine::Lock& lock);
    void sleep_idle(Engine::Lock& lock);

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
