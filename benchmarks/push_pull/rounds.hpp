// Rounds of push and pull, and what a worker says of them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tutti/tutti.hpp>
#include <vector>

namespace push_pull {

inline double median(std::vector<double> values)
{
    std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
    return values[values.size() / 2];
}

/// Milliseconds that act() takes.
template <class Act>
double timed(Act&& act)
{
    const double begin = tutti::wall_time();
    act();
    return 1e3 * (tutti::wall_time() - begin);
}

/// All workers push, then all pull. The first two rounds warm up. Prints the medians of this worker, and
/// whether is_right() of what a last pull gives.
template <class Push, class Pull, class IsRight>
bool run_rounds(const tutti::Communicator& workers, std::string_view way, int rounds, Push&& push,
                Pull&& pull, IsRight&& is_right)
{
    constexpr int kWarmups = 2;
    std::vector<double> pushes, pulls;
    for (int round = 0; round < rounds + kWarmups; ++round) {
        workers.barrier();
        const double pushed = timed(push);
        workers.barrier();
        const double pulled = timed(pull);
        if (round < kWarmups)
            continue;
        pushes.push_back(pushed);
        pulls.push_back(pulled);
    }
    workers.barrier();
    pull();
    const bool right = is_right(rounds + kWarmups);
    fmt::print("{} push {:.3f} ms pull {:.3f} ms {}\n", way, median(pushes), median(pulls),
               right ? "ok" : "WRONG");
    workers.barrier();
    return right;
}

}  // namespace push_pull
