#include "lib/foundation/base/fork.hpp"

#include <pthread.h>

namespace tutti::base {

constinit std::atomic<unsigned> detail::forks{0};

namespace {

[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { detail::forks.fetch_add(1, std::memory_order_relaxed); });

}  // namespace

}  // namespace tutti::base
