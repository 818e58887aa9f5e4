// The one clock of all benchmarks, whatever the library under test would offer.
#pragma once

#include <chrono>

namespace tutti::bench {

/// Microseconds since some fixed point, monotonic.
inline double now_us() noexcept
{
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace tutti::bench
