// How many files this process may have open.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

namespace tutti::base {

/// Raises the limit to `wanted`, at most to the hard limit. Never lowers it.
inline void allow_open_files(std::size_t wanted) noexcept
{
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, wanted);
    setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace tutti::base
