// What the heap consists of, for the files of this folder.
#pragma once

#include <pthread.h>
#include <sys/mman.h>

#include <cstddef>

#include "lib/heap/heap_blocks.hpp"
#include "lib/heap/retention.hpp"
#include "lib/heap/segment.hpp"

namespace tutti::heap::detail {

class Guard {
public:
    explicit Guard(pthread_mutex_t& mutex) noexcept : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() { pthread_mutex_unlock(&mutex_); }

private:
    pthread_mutex_t& mutex_;
};

struct State {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // guards all of this
    bool was_opened = false;
    bool is_lent = false;          // this is a child, and the blocks are its parent's
    int advice = MADV_REMOVE;      // gives pages back; 0: nothing does
    std::size_t dumped_bytes = 0;  // core files have what is before
    TuttiHeapSegment segment{};
    Blocks blocks;
    Retention retention;
};

extern constinit State state;

}  // namespace tutti::heap::detail
