// The threads that share reductions of large arrays, where a rank owns several cores.
//
// Not OpenMP's: after each parallel region libgomp's threads spin for milliseconds (7 ms measured with g++
// 12) on cores that may have better to do, unless the program's user has set OMP_WAIT_POLICY=passive before
// it started, and a region ends only when each of them has had a core. These sleep on a futex from the last
// chunk on, and nobody waits for one that comes too late to take a chunk. OMP_NUM_THREADS bounds them all the
// same.
//
// Cost of n bytes an operand on t threads: n / (t B) + W, where B are the bytes a second that one core
// combines and W is what waking the others costs the caller, some microseconds; they join some 40 us later.
// One core combines kSharedBytes in some 300 us.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "lib/foundation/reduction/kernels.hpp"
#include "lib/foundation/reduction/shared.hpp"

namespace tutti::reduction {

/// One a process, made and destroyed while nothing is reduced. Its threads start with the first reduction
/// that is shared.
class Team {
public:
    /// `threads` in all, the caller included.
    explicit Team(int threads);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    /// As `kernel` does, chunk by chunk: the same bits. A second caller at a time works alone.
    void reduce(Kernel kernel, void* dst, const void* a, const void* b, std::size_t count,
                std::size_t element_bytes);

private:
    struct Job {
        Kernel kernel;
        std::byte* dst;
        const std::byte* a;
        const std::byte* b;
        std::size_t count;
        std::size_t element_bytes;
        std::size_t chunk;  // elements
    };

    void start_helpers() noexcept;
    void help() noexcept;
    void take_chunks() noexcept;
    void ring() noexcept;

    const int threads_;
    std::mutex mutex_;  // held by the caller
    bool started_ = false;
    std::vector<std::thread> helpers_;
    Job job_{};
    std::atomic<std::size_t> next_{0};  // first element that nobody has taken
    // A helper says that it is there, then looks whether the job is open; the caller closes the job, then
    // looks whether a helper is there (both sequentially consistent). So no helper sees a job that is being
    // changed.
    std::atomic<bool> open_{false};
    std::atomic<int> present_{0};
    // Who rings has changed one of open_ and stopping_ before; a helper reads the bell's number, looks at
    // both and then sleeps only as long as the number is the same, so it misses neither. Sequentially
    // consistent as open_ is, to which the bell must stay in order; a shared reduction is too long for that
    // to show.
    std::atomic<bool> stopping_{false};
    std::atomic<std::uint32_t> bell_{0};
};

/// How many threads a rank that owns so many cores reduces with: at most 8, as more wait for memory; at most
/// OMP_NUM_THREADS; or TUTTI_REDUCE_THREADS, whatever it owns. Throws tutti::Error (invalid_argument) where
/// that is no number from 1 to 1024.
int reduction_threads(int cores);

}  // namespace tutti::reduction
