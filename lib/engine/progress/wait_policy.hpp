// Decides when a waiting rank spins, yields, sleeps, returns to its core and asks what is wrong. The waiting
// thread acts on the decisions and supplies the time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tutti::progress {

/// A waiting rank spins while a message is likely to arrive soon, then yields its core, then sleeps and uses
/// no CPU. If ranks share cores it yields from the first idle pass on: the message can only come when another
/// process runs. If many ranks share a core it soon sleeps, as each yield of an idle rank delays a busy one.
/// One policy serves all waits of an engine.
class WaitPolicy {
public:
    /// How long one wait has been without events.
    struct Idle {
        unsigned passes = 0;
        std::int64_t since_ns = 0;
    };

    WaitPolicy(bool shared_cores, bool crowded) noexcept
        : spin_passes_(shared_cores ? 1 : kSpinPasses),
          yield_ns_(crowded        ? 0
                    : shared_cores ? kYieldSharedNs
                                   : kYieldNs)
    {
    }

    /// After idle passes: true to poll again at once, false to yield.
    bool spins_on(Idle& idle, unsigned passes = 1) const noexcept
    {
        return (idle.passes += passes) < spin_passes_;
    }
    bool ever_spins() const noexcept { return spin_passes_ > 1; }

    /// After a yield: whether to read the clock and then ask sleeps() and goes_home().
    bool wants_time() noexcept { return ++yields_ % kYieldsPerClock == 0; }
    /// True to sleep, false to yield again.
    bool sleeps(Idle& idle, std::int64_t now_ns) const noexcept
    {
        if (idle.since_ns == 0)
            idle.since_ns = now_ns;
        return now_ns - idle.since_ns >= yield_ns_;
    }

    /// Whether to move back to the rank's own core. The scheduler draws ranks that wake each other to one
    /// core, and is slow to separate ranks that all yield: six ranks on one core and two on the other need
    /// twice as long for a message or a barrier. On a machine with other users the scheduler may know better,
    /// so this backs off from 0.5 to 16 ms. It never stops, as ranks that slept may wake on one core; a move
    /// costs some 20 us.
    bool goes_home(std::int64_t now_ns) noexcept
    {
        if (now_ns < stay_until_ns_)
            return false;
        stay_until_ns_ = now_ns + stay_ns_;
        stay_ns_ = std::min(2 * stay_ns_, kLongestStayNs);
        return true;
    }

private:
    // Passes of a few nanoseconds each: some 20 us in all, about the time to wake an idle core.
    static constexpr unsigned kSpinPasses = 2000;
    // On shared cores a turn of all ranks of a core takes tens of microseconds, and a sleep costs several
    // times a yield.
    static constexpr std::int64_t kYieldNs = 200'000;
    static constexpr std::int64_t kYieldSharedNs = 2'000'000;
    // Counted over all waits: most end after two or three yields.
    static constexpr unsigned kYieldsPerClock = 8;
    static constexpr std::int64_t kLongestStayNs = 16'000'000;

    const unsigned spin_passes_;
    const std::int64_t yield_ns_;
    unsigned yields_ = 0;
    std::int64_t stay_until_ns_ = 0;
    std::int64_t stay_ns_ = 500'000;
};

/// When a long wait asks what is wrong, even if there were events: after 100 ms, as other ranks are rarely
/// later than that by chance, then every 300 ms, so that a rank that has died is known within a second, and
/// whenever the wait has doubled.
class Patience {
public:
    /// The doorbell ends a sleep. The bound only lets a rank notice a peer that died with a full ring or with
    /// an unfinished piece of a copy.
    static constexpr std::int64_t kLongestSleepNs = 300'000'000;

    /// Calls ask(waited_ns, twice_as_long) if it is time; true means: ask again in 100 ms. Returns how long
    /// the wait may sleep.
    template <class Ask>
    std::int64_t lose(std::int64_t now_ns, Ask&& ask)
    {
        if (since_ns_ == 0) {
            since_ns_ = now_ns;
            ends_ns_ = doubles_ns_ = now_ns + kFirstNs;
        } else if (now_ns >= ends_ns_) {
            const std::int64_t waited_ns = now_ns - since_ns_;
            const bool twice_as_long = now_ns >= doubles_ns_;
            if (twice_as_long)
                doubles_ns_ = now_ns + waited_ns;
            ends_ns_ = now_ns + kLongestSleepNs;
            if (ask(waited_ns, twice_as_long))
                ends_ns_ = now_ns + kFirstNs;
            ends_ns_ = std::min(ends_ns_, doubles_ns_);
        }
        return ends_ns_ - now_ns;
    }

private:
    static constexpr std::int64_t kFirstNs = 100'000'000;

    std::int64_t since_ns_ = 0;
    std::int64_t ends_ns_ = 0;
    std::int64_t doubles_ns_ = 0;  // when the wait has doubled
};

}  // namespace tutti::progress
