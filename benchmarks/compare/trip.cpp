#include "benchmarks/compare/trip.hpp"

#include <algorithm>

#include "benchmarks/limits/limits.hpp"
#include "benchmarks/peers/contender.hpp"

namespace tutti::bench {

std::optional<double> trip_ns()
{
    constexpr ProbeScale kShort{0.02};
    constexpr int kProbes = 3;
    if (usable_cores() < 2)
        return {};
    std::optional<double> least;
    for (int i = 0; i < kProbes; ++i)
        probe_cache_line([&](const std::string&, std::optional<double>, double us,
                             const std::string&) { least = std::min(1000 * us, least.value_or(1e9)); },
                         kShort);
    return least;
}

}  // namespace tutti::bench
