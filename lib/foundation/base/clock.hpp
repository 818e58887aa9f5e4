// The monotonic clock.
#pragma once

#include <time.h>

#include <cstdint>

namespace tutti::base {

inline std::int64_t now_ns() noexcept
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace tutti::base
