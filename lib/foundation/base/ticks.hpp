// A clock that costs a few nanoseconds to read: the processor's counter where it runs at one rate on all
// cores, else base::now_ns(). Processes of one host read the same clock.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "lib/foundation/base/clock.hpp"

namespace tutti::base {

/// Whether ticks() is the processor's counter.
inline bool ticks_are_of_processor() noexcept
{
#if defined(__x86_64__)
    constexpr unsigned kPowerLeaf = 0x80000007;
    constexpr unsigned kSameRate = 1u << 8;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid(kPowerLeaf, &a, &b, &c, &d) != 0 && (d & kSameRate) != 0;
#else
    return false;
#endif
}

/// `of_processor`: what ticks_are_of_processor() has answered.
inline std::uint64_t ticks([[maybe_unused]] bool of_processor) noexcept
{
#if defined(__x86_64__)
    if (of_processor) [[likely]]
        return __builtin_ia32_rdtsc();  // needs no <x86intrin.h>, which is long
#endif
    return static_cast<std::uint64_t>(now_ns());
}

/// ticks() after all loads before it: the processor may read its counter early.
inline std::uint64_t ticks_after_loads(bool of_processor) noexcept
{
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#endif
    return ticks(of_processor);
}

/// One moment on both clocks.
struct TickMoment {
    std::uint64_t ticks = 0;
    std::int64_t ns = 0;
};

/// This moment. Of a few readings the one that took the least time: an interrupt between its two clocks would
/// set them apart.
inline TickMoment tick_moment(bool of_processor) noexcept
{
    constexpr int kReadings = 8;
    TickMoment best;
    std::uint64_t least = ~std::uint64_t{0};
    for (int i = 0; i < kReadings; ++i) {
        const std::uint64_t before = ticks(of_processor);
        const std::int64_t ns = now_ns();
        const std::uint64_t took = ticks(of_processor) - before;
        if (took < least) {
            least = took;
            best = {before + took / 2, ns};
        }
    }
    return best;
}

}  // namespace tutti::base
