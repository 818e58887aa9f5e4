// The threads that share reductions of large arrays when a rank owns several cores.
//
// OpenMP is not used: after each parallel region libgomp's threads spin for milliseconds (7 ms measured with
// g++ 12) on cores that may have other work, unless OMP_WAIT_POLICY=passive is set before the start, and a
// region ends only when each thread has had a core. These threads sleep on a futex after the last chunk, and
// nothing waits for a thread that is too late to take a chunk. OMP_NUM_THREADS still bounds them.
//
// Cost of n bytes an operand on t threads: n / (t B) + W, where B is the bytes a second that one core
// combines, and W is the caller's cost of waking the others, some microseconds; they join some 40 us later.
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

/// One for each process, made and destroyed while no reduction runs. Its threads start with the first shared
/// reduction.
class Team {
public:
    /// Number of threads, including the caller.
    explicit Team(int threads);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    /// Reduces as `kernel` does, chunk by chunk: the same bits. A second concurrent caller works alone.
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
    std::atomic<std::size_t> next_{0};  // first element that no thread has taken
    // A helper announces itself, then checks whether the job is open; the caller closes the job, then checks
    // for helpers (both sequentially consistent). So no helper sees a job while it changes.
    std::atomic<bool> open_{false};
    std::atomic<int> present_{0};
    // open_ or stopping_ changes before the bell rings. A helper reads the bell's number, checks both, and
    // sleeps only while the number is the same, so it misses no change. Sequentially consistent, as the bell
    // must stay in order with open_; the cost does not show in a shared reduction.
    std::atomic<bool> stopping_{false};
    std::atomic<std::uint32_t> bell_{0};
};

/// The number of threads that a rank with so many cores reduces with: at most 8, as more wait for memory; at
/// most OMP_NUM_THREADS; or TUTTI_REDUCE_THREADS, whatever cores it owns. Throws tutti::Error
/// (invalid_argument) when that is no number from 1 to 1024.
int reduction_threads(int cores);

}  // namespace tutti::reduction
