#include "lib/engine/progress/engine.hpp"

#include <sched.h>

#include "lib/engine/progress/progress_thread.hpp"
#include "lib/foundation/base/cpus.hpp"
#include "lib/foundation/base/pause.hpp"

namespace tutti::progress {

namespace {

// Yields during which a waiting thread may wake up and take the lock.
constexpr int kHandOverTries = 200;

}  // namespace

Engine::Engine(protocol::Protocol& protocol, EngineOptions options)
    : protocol_(protocol),
      policy_(options.shared_cores, options.crowded),
      transports_(policy_.ever_spins()),
      mutex_(options.many_threads || options.progress_thread),
      many_threads_(options.many_threads),
      defers_(options.progress_thread && options.spare_core),
      home_cpu_(options.shared_cores ? options.home_cpu : -1),
      profile_(options.profile)
{
    if (options.progress_thread)
        thread_ = std::make_unique<ProgressThread>(*this, options.spare_core);
}

Engine::~Engine() = default;

void Engine::refuse_child()
{
    throw Error(ErrorCode::not_supported, "fork",
                "this process was forked by a rank and has no part in the job: it may call exec, or end, but "
                "not call Tutti");
}

transport::Transport& Engine::add(std::unique_ptr<transport::Transport> transport)
{
    transport::Doorbell* const doorbell = transport->doorbell();
    if (doorbell != nullptr)
        sleeper_.add(*doorbell);
    return transports_.add(std::move(transport));
}

void Engine::accept_hand_ins()
{
    if (hand_ins_.is_open())
        return;
    if (!hand_ins_.open())
        throw Error(ErrorCode::system, "progress",
                    "no file descriptor to hand in work by; raise the open-file limit (ulimit -n)");
    sleeper_.add(hand_ins_);
}

void Engine::give_way(Lock& lock, unsigned pauses)
{
    lock.unlock();
    for (unsigned i = 0; i < pauses; ++i)
        base::pause();
    lock.lock();
}

// A thread that unlocks and locks again at once rarely loses the lock to a waiting thread.
void Engine::let_others(Lock& lock)
{
    if (!mutex_.is_wanted())
        return;
    lock.unlock();
    for (int tries = 0; tries < kHandOverTries && mutex_.is_wanted(); ++tries)
        sched_yield();
    lock.lock();
}

void Engine::enter_wait() noexcept
{
    ++waiting_;
    thread_->stand_back();
    begin_all_deferred();
}

void Engine::leave_wait() noexcept
{
    --waiting_;
    wake_thread();
}

void Engine::wake_thread() noexcept
{
    if (needs_thread())
        thread_->wake();
}

// May be called without the lock.
void Engine::drop_hold() noexcept
{
    if (holds_.fetch_sub(1, std::memory_order_relaxed) == 1 && thread_ != nullptr)
        thread_->look_again();
}

// Begins the earliest deferred work; false if there is none.
bool Engine::begin_deferred() noexcept
{
    Deferred* const next = deferred_.pop_front();
    if (next != nullptr)
        next->begin(*next);
    return next != nullptr;
}

bool Engine::attend_to_others(Lock& lock, std::int64_t until_ns)
{
    run_follow_ups(lock);
    if (many_threads_ && ++busy_passes_ % kBusyPasses == 0)
        let_others(lock);
    return !is_over(until_ns);
}

void Engine::run_all_follow_ups(Lock& lock)
{
    while (FollowUp* const next = follow_ups_.pop_front()) {
        lock.unlock();
        next->run(*next);
        lock.lock();
    }
}

void Engine::begin_all_deferred() noexcept
{
    while (begin_deferred()) {
    }
}

// Yields; returns true if it is time to sleep.
bool Engine::yield_or_tired(Lock& lock, WaitPolicy::Idle& idle)
{
    lock.unlock();
    sched_yield();
    lock.lock();
    if (!policy_.wants_time())
        return false;
    const std::int64_t now = base::now_ns();
    if (home_cpu_ >= 0 && policy_.goes_home(now)) [[unlikely]]
        base::move_to_cpu(home_cpu_);
    return policy_.sleeps(idle, now);
}

// Arrivals ring from here on. False, and not armed, if something has already arrived.
bool Engine::arm()
{
    sleeper_.arm();
    ticket_ = sleeper_.ticket();
    transports_.ask_kernel_next();
    if (progress() == 0)
        return true;
    disarm();
    return false;
}

void Engine::sleep(Lock& lock, std::int64_t longest_ns)
{
    const Sleeper::Ticket ticket = ticket_;
    lock.unlock();
    Sleeper::sleep(ticket, longest_ns);
    lock.lock();
}

void Engine::close() noexcept
{
    thread_.reset();
    try {
        Lock held = lock();
        wait(held, [&] { return !protocol_.has_pending(); });
    } catch (const Error&) {
        // Messages that could not be sent are lost together with their peer.
    }
    for (const auto& transport : transports_.all())
        transport->close();
}

}  // namespace tutti::progress
