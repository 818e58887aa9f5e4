// The job that MPI has joined.
#pragma once

#include <memory>

#include "tutti/environment.hpp"

namespace tutti::mpi {

/// Its functions may be called from any thread, except that one thread begins and ends.
class Runtime {
public:
    /// Throws Failure if MPI was begun before.
    static void begin(ThreadLevel threads);
    /// Throws Failure unless MPI is running.
    static void end();

    static bool was_begun() noexcept;
    static bool is_running() noexcept;
    static bool has_ended() noexcept;
    /// Whether the calling thread began MPI.
    static bool is_main_thread() noexcept;
    /// Only while MPI is running.
    static detail::Process& process() noexcept;
};

}  // namespace tutti::mpi
