// Tells the user which rank this one waits for, when that takes long.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "lib/engine/bootstrap/job_bootstrap.hpp"
#include "lib/foundation/base/say.hpp"

namespace tutti::bootstrap {

class LateRank {
public:
    LateRank(const Bootstrap& job, int rank) : job_(job), rank_(rank) {}
    /// Called several times a second while `rank` has published nothing. Prints one message. Time in which
    /// this process was stopped does not count.
    void report()
    {
        const Clock::time_point now = Clock::now();
        waited_ += std::min<Clock::duration>(now - std::exchange(last_, now), kLongestTurn);
        if (reported_ || waited_ < kLate)
            return;
        reported_ = true;
        const std::string host = job_.host_of(rank_);
        base::say(fmt::format("tutti: rank {} waits for rank {}{}, which has not joined the job in {} s\n",
                              job_.rank(), rank_, host.empty() ? "" : " on " + host, kLate.count()));
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kLate{5};
    static constexpr std::chrono::milliseconds kLongestTurn{500};

    const Bootstrap& job_;
    const int rank_;
    Clock::time_point last_ = Clock::now();
    Clock::duration waited_{};
    bool reported_ = false;
};

}  // namespace tutti::bootstrap
