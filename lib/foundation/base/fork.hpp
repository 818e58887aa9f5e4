// Whether this process is a copy of one that uses Tutti.
#pragma once

#include <atomic>

namespace tutti::base {

namespace detail {
// Relaxed: set where the child has one thread.
extern constinit std::atomic<unsigned> forks;
}  // namespace detail

/// How many forks lie between this process and the one that loaded the library. Who keeps the number tells by
/// another one that it is a copy in a child. Any thread.
inline unsigned forks() noexcept
{
    return detail::forks.load(std::memory_order_relaxed);
}

/// True in a child that fork() has made of a process that had this library: memory that both share is the
/// parent's. Any thread, also while the process ends.
inline bool is_forked_child() noexcept
{
    return forks() != 0;
}

}  // namespace tutti::base
