// What one-sided benchmarks are asked for besides sizes: whose memory a window is of, and what completes
// operations.
#pragma once

#include <array>

namespace tutti::bench {

enum class WindowKind { allocate, create, shared, dynamic };
enum class Synchronization { lock, flush, flush_local, lock_all, pscw, fence };

/// A value of -w or -s, and what OSU's benchmarks print for it.
struct OneSidedWord {
    const char* word;
    const char* calls;
};
inline constexpr std::array<OneSidedWord, 4> kWindowKinds = {{{"allocate", "MPI_Win_allocate"},
                                                              {"create", "MPI_Win_create"},
                                                              {"shared", "MPI_Win_allocate_shared"},
                                                              {"dynamic", "MPI_Win_create_dynamic"}}};
inline constexpr std::array<OneSidedWord, 6> kSynchronizations = {
    {{"lock", "MPI_Win_lock/unlock"},
     {"flush", "MPI_Win_flush"},
     {"flush_local", "MPI_Win_flush_local"},
     {"lock_all", "MPI_Win_lock_all/unlock_all"},
     {"pscw", "MPI_Win_post/start/complete/wait"},
     {"fence", "MPI_Win_fence"}}};

/// Whether both ranks act in an iteration by this synchronisation, so that each has half of its time.
constexpr bool is_active(Synchronization synchronization) noexcept
{
    return synchronization == Synchronization::pscw || synchronization == Synchronization::fence;
}

/// Whether operations are completed in an epoch that lasts.
constexpr bool is_flush(Synchronization synchronization) noexcept
{
    return synchronization == Synchronization::flush || synchronization == Synchronization::flush_local;
}

}  // namespace tutti::bench
