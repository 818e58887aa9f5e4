#include "lib/engine/progress/progress_thread.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <system_error>
#include <utility>

#include "lib/foundation/base/cpus.hpp"
#include "lib/foundation/base/futex.hpp"
#include "lib/foundation/base/helper_thread.hpp"

namespace tutti::progress {

namespace {

// Pauses between two passes of a spinning thread, in which the program can take the lock. One such pass
// counts as this many.
constexpr unsigned kPausesAPass = 16;

}  // namespace

ProgressThread::ProgressThread(Engine& engine, bool spare_core) : engine_(engine), spare_core_(spare_core)
{
    try {
        thread_ = base::start_helper_thread("tutti-progress",
                                            [this, program_cpu = sched_getcpu()] { run(program_cpu); });
    } catch (const std::system_error& error) {
        throw Error(ErrorCode::not_supported, "progress thread",
                    fmt::format("the system gives no thread ({}); raise the limit on processes, or start "
                                "without TUTTI_PROGRESS=thread",
                                error.what()));
    }
}

ProgressThread::~ProgressThread()
{
    {
        const Engine::Lock lock = engine_.lock();
        stopping_ = true;
        wake();
    }
    thread_.join();
}

void ProgressThread::stand_back() noexcept
{
    if (armed_) {
        armed_ = false;
        engine_.disarm();
    }
}

void ProgressThread::look_again() noexcept
{
    own_word_.fetch_add(1, std::memory_order_release);
    base::futex_wake_all(own_word_);
}

void ProgressThread::wake() noexcept
{
    switch (std::exchange(sleeps_, Sleep::none)) {
        case Sleep::none:
            break;
        case Sleep::idle:
            look_again();
            break;
        case Sleep::armed:
            engine_.sleeper_.wake();
            break;
    }
}

void ProgressThread::run(int program_cpu) noexcept
{
    if (spare_core_)
        base::leave_cpu(program_cpu);
    Engine::Lock lock = engine_.lock();
    try {
        work(lock);
    } catch (...) {
        // The engine is broken; the program's next call reports why.
    }
}

void ProgressThread::work(Engine::Lock& lock)
{
    WaitPolicy::Idle idle;
    while (!stopping_) {
        const bool needed = engine_.needs_thread();
        // The pass within arm() may leave follow-up work, and no request.
        if (needed && (engine_.begin_deferred() || engine_.progress() != 0 || !engine_.follow_ups_.empty())) {
            idle = {};
            engine_.run_follow_ups(lock);
            engine_.give_way(lock, kPausesAPass);
        } else if (spare_core_ && engine_.policy_.spins_on(idle, kPausesAPass)) {
            engine_.give_way(lock, kPausesAPass);
        } else if (!spare_core_ || engine_.yield_or_tired(lock, idle)) {
            // While this thread yielded it counted as awake, so a wake() meanwhile did nothing. Acquire pairs
            // with the release in look_again(): this thread sees what came before that, or does not fall
            // asleep.
            const std::uint32_t before = own_word_.load(std::memory_order_acquire);
            if (!stopping_)
                engine_.needs_thread() ? sleep_armed(lock) : sleep_idle(lock, before);
            idle = {};
        }
    }
}

void ProgressThread::sleep_armed(Engine::Lock& lock)
{
    if (!engine_.needs_thread() || !engine_.arm())
        return;
    armed_ = true;
    sleeps_ = Sleep::armed;
    engine_.sleep(lock, Patience::kLongestSleepNs);
    sleeps_ = Sleep::none;
    stand_back();
}

void ProgressThread::sleep_idle(Engine::Lock& lock, std::uint32_t before)
{
    sleeps_ = Sleep::idle;
    lock.unlock();
    base::futex_wait(own_word_, before, -1);
    lock.lock();
    sleeps_ = Sleep::none;
}

}  // namespace tutti::progress
