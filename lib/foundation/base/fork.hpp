// Whether fork() made this process from one that uses Tutti.
#pragma once

#include <atomic>

namespace tutti::base {

namespace detail {
// Relaxed: set while the child has one thread.
extern constinit std::atomic<unsigned> forks;
}  // namespace detail

/// The number of forks between this process and the one that loaded the library. A stored number that differs
/// shows that this process is a forked copy. Any thread.
inline unsigned forks() noexcept
{
    return detail::forks.load(std::memory_order_relaxed);
}

/// True in a child that fork() made of a process with this library: memory that both share belongs to the
/// parent. Any thread, also while the process ends.
inline bool is_forked_child() noexcept
{
    return forks() != 0;
}

}  // namespace tutti::base
