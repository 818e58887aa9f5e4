// The progress engine: the only place that polls transports, and the only loop that waits, as wait_policy.hpp
// decides.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "lib/engine/progress/hand_ins.hpp"
#include "lib/engine/progress/optional_mutex.hpp"
#include "lib/engine/progress/polled_transports.hpp"
#include "lib/engine/progress/sleeper.hpp"
#include "lib/engine/progress/wait_policy.hpp"
#include "lib/engine/protocol/protocol.hpp"
#include "lib/foundation/base/clock.hpp"
#include "lib/foundation/base/fork.hpp"
#include "lib/foundation/base/intrusive_list.hpp"
#include "lib/foundation/observe/profile_writer.hpp"
#include "transports/transport.hpp"

namespace tutti::progress {

class ProgressThread;

struct DeferredTag;

/// Work that a later pass of progress can begin. Its destructor removes it from the engine's list, under the
/// lock.
struct Deferred : base::ListHook<DeferredTag> {
    explicit Deferred(void (*begins)(Deferred&) noexcept) noexcept : begin(begins) {}
    Deferred(const Deferred&) = delete;
    Deferred& operator=(const Deferred&) = delete;
    ~Deferred()
    {
        if (linked()) [[unlikely]]
            base::IntrusiveList<Deferred, DeferredTag>::remove(*this);
    }

    void (*const begin)(Deferred&) noexcept;
};

struct FollowUpTag;

/// Work that follows a pass of progress and may call Tutti: it runs without the lock.
struct FollowUp : base::ListHook<FollowUpTag> {
    explicit FollowUp(void (*runs)(FollowUp&)) noexcept : run(runs) {}
    FollowUp(const FollowUp&) = delete;
    FollowUp& operator=(const FollowUp&) = delete;

    void (*const run)(FollowUp&);  // may destroy it
};

/// The end of a wait without a time limit.
inline constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

struct EngineOptions {
    bool many_threads = false;     // several threads call at once: take the lock
    bool progress_thread = false;  // makes progress while no thread is in a call; takes the lock, too
    bool spare_core = false;       // the progress thread has a core beside the program's
    bool shared_cores = false;     // ranks share cores: yield at once
    bool crowded = false;  // so many ranks on a core that a sleep is cheaper than a yield to all others
    int home_cpu = -1;     // this rank returns there while ranks share cores; -1: nowhere
    observe::ProfileWriter* profile = nullptr;  // learns how long waits find nothing to do
};

class Engine {
public:
    using Lock = std::unique_lock<OptionalMutex>;

    /// `protocol` is the transports' sink.
    Engine(protocol::Protocol& protocol, EngineOptions options);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Takes over a transport and polls it. At most one transport's doorbell has a word(). The protocol may
    /// call this within progress().
    transport::Transport& add(std::unique_ptr<transport::Transport> transport);
    const std::vector<std::unique_ptr<transport::Transport>>& transports() const noexcept
    {
        return transports_.all();
    }

    bool has_thread() const noexcept { return thread_ != nullptr; }
    /// Whether other threads than the caller may want the lock.
    bool is_shared() const noexcept { return many_threads_ || has_thread(); }

    /// Held around every call to the protocol, the transports and the request states. Throws tutti::Error in
    /// a forked child: peers would take its messages for the parent's.
    [[nodiscard]] Lock lock()
    {
        if (is_forked_copy()) [[unlikely]]
            refuse_child();
        return Lock(mutex_);
    }
    /// Whether this is the copy in a forked child, which must not be used.
    bool is_forked_copy() const noexcept { return base::forks() != forks_; }

    /// One pass over all transports; returns the number of events. Under the lock. Throws if a transport
    /// fails (malformed frames, an aborted job), and from then on always. Nothing is delivered afterwards, so
    /// buffers of calls that ended with the exception are safe.
    [[gnu::always_inline]] std::size_t progress()
    {
        if (broken_) [[unlikely]]
            std::rethrow_exception(broken_);
        std::size_t events = 0;
        try {
            events = transports_.poll(protocol_);
            if (protocol_.has_pending()) [[unlikely]]
                events += protocol_.retry();
            if (hand_ins_.any()) [[unlikely]]
                events += hand_ins_.finish_all();
        } catch (...) {
            broken_ = std::current_exception();
            throw;
        }
        if (events != 0 && sleeper_.anybody()) [[unlikely]]
            sleeper_.wake();
        return events;
    }

    /// A pass for a caller that polls instead of waiting; it calls the watch, too (set_watch). If it finds no
    /// event it spins or yields as a wait does, but never sleeps: where ranks share cores, what the caller
    /// polls for can only come while another process runs.
    std::size_t poll(Lock& lock)
    {
        const std::size_t events = progress();
        run_follow_ups(lock);
        if (events == 0)
            polled_in_vain(lock);
        else
            polled_ = {};
        return events;
    }

    /// Called after a call that starts an operation and does not wait. Other threads may sleep and depend on
    /// it (a message to this rank itself), or it needs their progress (a refused frame). Under the lock.
    void started() noexcept
    {
        if (sleeper_.anybody()) [[unlikely]]
            sleeper_.wake();
    }

    /// Counts the program's active requests: while there is one, the progress thread has work. Under the
    /// lock.
    void request_started() noexcept
    {
        ++active_requests_;
        if (thread_ != nullptr) [[unlikely]]
            wake_thread();
    }
    void request_ended() noexcept { --active_requests_; }
    bool has_requests() const noexcept { return active_requests_ != 0; }

    /// Begins `work` of a request that is about to start. A progress thread with a core of its own begins it
    /// there, so that the program goes on computing; otherwise it begins at once. Under the lock.
    void begin(Deferred& work) noexcept
    {
        if (!defers_) [[likely]]
            return work.begin(work);
        deferred_.push_back(work);
        if (is_held())
            begin_all_deferred();
    }

    /// Begins all deferred work, so that later work comes after it. Under the lock.
    void begin_all() noexcept
    {
        if (defers_) [[unlikely]]
            begin_all_deferred();
    }

    /// A later pass of progress runs `work` soon; the progress thread, if there is one, does so unasked.
    /// Under the lock.
    void follow_up(FollowUp& work) noexcept
    {
        follow_ups_.push_back(work);
        if (thread_ != nullptr) [[unlikely]]
            wake_thread();
    }

    /// Threads may hand in from now on. Under the lock. Throws tutti::Error if the process may open no more
    /// files.
    void accept_hand_ins();
    /// A later pass of progress finishes it; sleeping threads wake up for that. Any thread, without the lock.
    void hand_in(HandedIn& done) noexcept { hand_ins_.push(done); }
    /// It is not finished any more. Under the lock.
    void withdraw(const HandedIn& done) noexcept { hand_ins_.withdraw(done); }

    /// While one exists, the program's threads make progress and the progress thread does not. Under the
    /// lock, except for passes of wait().
    class Waiting {
    public:
        explicit Waiting(Engine& engine) noexcept : engine_(engine)
        {
            if (engine_.thread_ != nullptr) [[unlikely]]
                engine_.enter_wait();
        }
        ~Waiting()
        {
            if (engine_.thread_ != nullptr) [[unlikely]]
                engine_.leave_wait();
        }
        Waiting(const Waiting&) = delete;
        Waiting& operator=(const Waiting&) = delete;

    private:
        Engine& engine_;
    };

    /// While one exists, the progress thread stands back and runs nothing of the program's. Made before the
    /// operation starts that needs it, destroyed after that has ended; with or without the lock.
    class Hold {
    public:
        explicit Hold(Engine& engine) noexcept : engine_(engine)
        {
            engine_.holds_.fetch_add(1, std::memory_order_relaxed);
        }
        ~Hold() { engine_.drop_hold(); }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;

    private:
        Engine& engine_;
    };

    /// Whether a caller may spin for a short while before it waits: this rank has a core of its own, and no
    /// profile counts the time.
    bool spins() const noexcept { return policy_.ever_spins() && profile_ == nullptr; }

    /// Waits until done() is true or base::now_ns() reaches `until_ns`; returns done(). Under the lock. The
    /// lock is released between passes if many threads call, and for follow-up work, so done() may only read
    /// state that the lock protects.
    template <class Done>
    bool wait(Lock& lock, Done&& done, std::int64_t until_ns = kForEver)
    {
        const Waiting waiting(*this);
        if (profile_ != nullptr) [[unlikely]]
            return wait_timed(lock, done, until_ns);
        observe::NoIdleTime none;
        return look(lock, done, until_ns, none);
    }

    /// A long wait calls it from time to time, after a pass of progress without events; `twice_as_long`: the
    /// wait has doubled since the last such call. True: call again in 100 ms. Under the lock. Its exceptions
    /// end the wait.
    using Watch = std::function<bool(std::int64_t waited_ns, bool twice_as_long)>;
    void set_watch(Watch watch) { watch_ = std::move(watch); }

    /// All later progress, and so each wait, throws `why`. Under the lock.
    void end(std::exception_ptr why) noexcept { broken_ = std::move(why); }

    /// Ends the progress thread, sends what transports have refused so far, and closes the transports. Waits
    /// without limit for peers that take no frames yet; drops the frames for lost peers. Not under the lock.
    void close() noexcept;

private:
    friend class ProgressThread;

    // wait(), which notes in `idle_time` what its passes find.
    template <class Done, class IdleTime>
    [[gnu::always_inline]] bool look(Lock& lock, Done&& done, std::int64_t until_ns, IdleTime& idle_time)
    {
        WaitPolicy::Idle idle;
        Patience patience;
        while (!done()) {
            idle_time.looks();
            if (progress() != 0) {
                idle = {};
                idle_time.moved();
                if (many_threads_ || until_ns != kForEver || !follow_ups_.empty()) [[unlikely]]
                    if (!attend_to_others(lock, until_ns))
                        return done();
                continue;
            }
            if (policy_.spins_on(idle)) [[likely]]
                relax(lock);
            else if (!idle_longer(lock, idle, patience, until_ns, [&] { return done(); }))
                return done();
            idle_time.idled();
        }
        return true;
    }
    template <class Done>
    [[gnu::noinline]] bool wait_timed(Lock& lock, Done&& done, std::int64_t until_ns)
    {
        observe::IdleTime idle_time(*profile_);
        return look(lock, done, until_ns, idle_time);
    }

    [[noreturn]] static void refuse_child();

    // False if the time is over.
    template <class Done>
    bool idle_longer(Lock& lock, WaitPolicy::Idle& idle, Patience& patience, std::int64_t until_ns,
                     Done&& done)
    {
        run_follow_ups(lock);
        const bool tired = yield_or_tired(lock, idle);
        if (is_over(until_ns)) [[unlikely]]
            return false;
        if (!tired)
            return true;
        std::int64_t sleep_ns = lose_patience(patience);
        if (until_ns != kForEver) [[unlikely]]
            sleep_ns = std::min(sleep_ns, until_ns - base::now_ns());
        if (arm()) {
            if (!done())
                sleep(lock, sleep_ns);
            disarm();
        }
        return true;
    }
    // After a pass with events. False when the time is over.
    bool attend_to_others(Lock& lock, std::int64_t until_ns);
    static bool is_over(std::int64_t until_ns) noexcept
    {
        return until_ns != kForEver && base::now_ns() >= until_ns;
    }
    void run_follow_ups(Lock& lock)
    {
        if (!follow_ups_.empty()) [[unlikely]]
            run_all_follow_ups(lock);
    }
    void run_all_follow_ups(Lock& lock);

    void relax(Lock& lock)
    {
        if (many_threads_) [[unlikely]]
            give_way(lock, 0);
    }
    static void give_way(Lock& lock, unsigned pauses);
    void let_others(Lock& lock);
    void enter_wait() noexcept;
    void leave_wait() noexcept;
    void wake_thread() noexcept;
    void drop_hold() noexcept;
    bool begin_deferred() noexcept;
    void begin_all_deferred() noexcept;
    // Relaxed: the operation that a hold protects starts under the lock, after the hold was made.
    bool is_held() const noexcept { return holds_.load(std::memory_order_relaxed) != 0; }
    bool needs_thread() const noexcept
    {
        return waiting_ == 0 && !is_held() &&
               (active_requests_ != 0 || protocol_.has_pending() || !follow_ups_.empty());
    }
    // Calls of poll() since the last event.
    struct Polled {
        unsigned times = 0;
        WaitPolicy::Idle idle;
        Patience patience;
    };
    static constexpr unsigned kPollsPerClock = 256;
    void polled_in_vain(Lock& lock)
    {
        if (!policy_.spins_on(polled_.idle))
            yield_or_tired(lock, polled_.idle);
        if (++polled_.times % kPollsPerClock == 0) [[unlikely]]
            lose_patience(polled_.patience);
    }

    // Passes with events in a row for which a waiting thread keeps the lock: pieces of a long copy take tens
    // of microseconds each.
    static constexpr unsigned kBusyPasses = 4;

    bool yield_or_tired(Lock& lock, WaitPolicy::Idle& idle);
    bool arm();
    void disarm() noexcept { sleeper_.disarm(); }
    // Calls the watch if it is time. Returns how long the wait may sleep.
    std::int64_t lose_patience(Patience& patience)
    {
        return watch_ ? patience.lose(base::now_ns(), watch_) : Patience::kLongestSleepNs;
    }
    void sleep(Lock& lock, std::int64_t longest_ns);

    const unsigned forks_ = base::forks();
    protocol::Protocol& protocol_;
    WaitPolicy policy_;
    PolledTransports transports_;
    Watch watch_;
    Polled polled_;
    std::exception_ptr broken_;  // what a transport threw; ends all progress
    Sleeper sleeper_;
    HandIns hand_ins_;
    Sleeper::Ticket ticket_;
    OptionalMutex mutex_;
    const bool many_threads_;
    const bool defers_;
    const int home_cpu_;
    observe::ProfileWriter* const profile_;
    unsigned busy_passes_ = 0;
    unsigned waiting_ = 0;  // program threads in wait(); counted only with a progress thread
    std::atomic<unsigned> holds_{0};
    unsigned active_requests_ = 0;  // between request_started() and request_ended()
    base::IntrusiveList<Deferred, DeferredTag> deferred_;
    base::IntrusiveList<FollowUp, FollowUpTag> follow_ups_;
    std::unique_ptr<ProgressThread> thread_;  // last: it uses all of the above
};

}  // namespace tutti::progress
