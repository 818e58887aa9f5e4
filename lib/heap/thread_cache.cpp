#include "lib/heap/thread_cache.hpp"

#include <pthread.h>

#include <utility>

#include "lib/heap/heap.hpp"

namespace tutti::heap {

namespace {

pthread_key_t key;

}  // namespace

constinit thread_local ThreadCache ThreadCache::mine_;

bool ThreadCache::prepare() noexcept
{
    return pthread_key_create(&key, end) == 0;
}

// Whether a block beyond the limit may be kept. The thread's first free() begins the cache.
bool ThreadCache::keeps_beyond() noexcept
{
    if (most_bytes_ != 0)
        return bytes_ == 0;
    if (has_ended_ || !is_serving() || pthread_setspecific(key, this) != 0)
        return false;
    most_bytes_ = kAlwaysKept;
    return true;
}

void ThreadCache::end(void* cache) noexcept
{
    auto& mine = *static_cast<ThreadCache*>(cache);
    mine.has_ended_ = true;
    mine.most_bytes_ = 0;
    give_back_all(mine);
}

}  // namespace tutti::heap
