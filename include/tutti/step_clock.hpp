// Steps of ranks that may run apart, but not farther than a bound: stale synchronous parallel (Q. Ho et al.,
// "More Effective Distributed ML via a Stale Synchronous Parallel Parameter Server", NIPS 2013).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <span>
#include <vector>

#include "tutti/communicator.hpp"

namespace tutti {

/// Made and destroyed collectively. All ranks make as many ticks.
class StepClock {
public:
    /// A staleness: no rank waits for another.
    static constexpr std::uint64_t kFree = std::numeric_limits<std::uint64_t>::max();

    /// `staleness`: how many steps a rank may be ahead of the slowest one. 0: all ranks are in one step (bulk
    /// synchronous). All ranks give the same.
    StepClock(const Communicator& communicator, std::uint64_t staleness)
        : communicator_(communicator.dup()),
          staleness_(staleness),
          steps_(static_cast<std::size_t>(communicator.size()))
    {
    }
    StepClock(StepClock&&) noexcept = default;
    StepClock& operator=(StepClock&&) = delete;
    // Takes the ticks of all ranks, so that none is left.
    ~StepClock()
    {
        while (!steps_.empty() && std::uncaught_exceptions() == uncaught_ && slowest_step() < step())
            take_tick();
    }

    /// The end of this rank's step: all ranks learn that it goes on. Waits while this rank is more than the
    /// staleness ahead of the slowest one. Sends an empty message to each other rank.
    void tick()
    {
        const std::byte nothing[1] = {};
        for (int other = 0; other < communicator_.size(); ++other)
            if (other != communicator_.rank())
                std::move(communicator_.isend(std::span(nothing, 0), other)).detach();
        ++steps_[static_cast<std::size_t>(communicator_.rank())];
        while (communicator_.iprobe())
            take_tick();
        while (staleness_ != kFree && step() - slowest_step() > staleness_)
            take_tick();
    }

    /// The steps that this rank has ended, and those of the slowest rank, as far as this rank knows.
    std::uint64_t step() const noexcept { return steps_[static_cast<std::size_t>(communicator_.rank())]; }
    std::uint64_t slowest_step() const noexcept { return *std::ranges::min_element(steps_); }

private:
    void take_tick()
    {
        std::byte nothing[1] = {};
        const Status status = communicator_.recv(std::span(nothing, 0));
        ++steps_[static_cast<std::size_t>(status.source)];
    }

    Communicator communicator_;
    std::uint64_t staleness_;
    std::vector<std::uint64_t> steps_;  // of all ranks; empty: moved from
    int uncaught_ = std::uncaught_exceptions();
};

}  // namespace tutti
