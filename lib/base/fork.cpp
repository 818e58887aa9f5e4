#include "lib/base/fork.hpp"

#include <pthread.h>

#include <atomic>

namespace tutti::base {

namespace {

// Relaxed: set where the child has one thread.
constinit std::atomic<bool> forked{false};
[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });

}  // namespace

bool is_forked_child() noexcept
{
    return forked.load(std::memory_order_relaxed);
}

}  // namespace tutti::base
