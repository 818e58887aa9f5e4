// When a waiting rank spins, yields, sleeps, goes home and asks what is wrong. Decisions alone: whoever waits
// does what they say, and tells the time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tutti::progress {

/// A rank that waits spins while a message is likely to be near, then yields its core to others, then sleeps
/// and uses no CPU. Where ranks share cores it yields from the first idle pass on: what it waits for can only
/// come when somebody else runs. Where many do, it soon sleeps: each yield of a rank that has nothing to do
/// delays the one that has. One policy serves all waits of an engine.
class WaitPolicy {
public:
    /// How long one wait has seen nothing happen.
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

    /// After idle passes: whether to look again at once. Else yield.
    bool spins_on(Idle& idle, unsigned passes = 1) const noexcept
    {
        return (idle.passes += passes) < spin_passes_;
    }
    bool ever_spins() const noexcept { return spin_passes_ > 1; }

    /// After a yield: whether to look at the clock, and then to ask sleeps() and goes_home().
    bool wants_time() noexcept { return ++yields_ % kYieldsPerClock == 0; }
    /// Whether to sleep. Else yield again.
    bool sleeps(Idle& idle, std::int64_t now_ns) const noexcept
    {
        if (idle.since_ns == 0)
            idle.since_ns = now_ns;
        return now_ns - idle.since_ns >= yield_ns_;
    }

    /// Whether to go back to the own core. Ranks that wake each other are drawn to one, and the scheduler,
    /// which sees all of them yield, is slow to part them: six ranks on one core and two on the other need
    /// twice as long for a message or a barrier. A machine that others use, too, may know better where a rank
    /// should run, so this backs off from 0.5 to 16 ms; it never ends, as ranks that have slept may wake on
    /// one core again, and a move costs some 20 us.
    bool goes_home(std::int64_t now_ns) noexcept
    {
        if (now_ns < stay_until_ns_)
            return false;
        stay_until_ns_ = now_ns + stay_ns_;
        stay_ns_ = std::min(2 * stay_ns_, kLongestStayNs);
        return true;
    }

private:
    // Passes of a few nanoseconds each: some 20 us, about what waking an idle core costs.
    static constexpr unsigned kSpinPasses = 2000;
    // Where cores are shared a pass round all ranks of a core takes tens of microseconds, and a sleep costs
    // several times a yield.
    static constexpr std::int64_t kYieldNs = 200'000;
    static constexpr std::int64_t kYieldSharedNs = 2'000'000;
    // Of all waits: most are over after two or three yields.
    static constexpr unsigned kYieldsPerClock = 8;
    static constexpr std::int64_t kLongestStayNs = 16'000'000;

    const unsigned spin_passes_;
    const std::int64_t yield_ns_;
    unsigned yields_ = 0;
    std::int64_t stay_until_ns_ = 0;
    std::int64_t stay_ns_ = 500'000;
};

/// When a wait that lasts asks what is wrong, whatever happened meanwhile: after 100 ms, as no rank is later
/// than that by chance, or rarely; then every two seconds, and whenever it has lasted twice as long.
class Patience {
public:
    /// A sleep ends by the doorbell; the bound only makes a rank notice that a peer has died with its ring
    /// full, or with a piece of a copy begun.
    static constexpr std::int64_t kLongestSleepNs = 500'000'000;

    /// Calls ask(waited_ns, twice_as_long) when it is time; it answers whether to be asked again in 100 ms.
    /// How long the wait may sleep.
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
            ends_ns_ = now_ns + kLongestNs;
            if (ask(waited_ns, twice_as_long))
                ends_ns_ = now_ns + kFirstNs;
            ends_ns_ = std::min(ends_ns_, doubles_ns_);
        }
        return std::min(kLongestSleepNs, ends_ns_ - now_ns);
    }

private:
    static constexpr std::int64_t kFirstNs = 100'000'000;
    static constexpr std::int64_t kLongestNs = 2'000'000'000;

    std::int64_t since_ns_ = 0;
    std::int64_t ends_ns_ = 0;
    std::int64_t doubles_ns_ = 0;  // when the wait will have lasted twice as long
};

}  // namespace tutti::progress
