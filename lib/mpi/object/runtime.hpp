// The job that MPI has joined.
#pragma once

#include <atomic>
#include <memory>

#include "tutti/environment.hpp"

namespace tutti::mpi {

/// Any thread may call the functions, except that one thread begins and ends.
class Runtime {
public:
    /// MPI_Init has joined the job, and all that calls need is there.
    static void set_running(std::shared_ptr<detail::Process> joined);
    /// MPI_Finalize leaves the job, which this returns.
    static std::shared_ptr<detail::Process> set_ended();

    static bool was_begun() noexcept { return phase() != Phase::before; }
    static bool is_running() noexcept { return phase() == Phase::running; }
    static bool has_ended() noexcept { return phase() == Phase::ended; }
    /// Throws Failure unless MPI is running.
    static void check_running();
    /// Whether the calling thread began MPI.
    static bool is_main_thread() noexcept;
    /// Only while MPI is running.
    static detail::Process& process() noexcept { return *process_; }

private:
    enum class Phase : unsigned char { before, running, ended };

    static Phase phase() noexcept { return phase_.load(std::memory_order_acquire); }

    // Stored with release when the rest is there, and loaded with acquire: any thread may ask.
    inline static constinit std::atomic<Phase> phase_{Phase::before};
    inline static constinit detail::Process* process_ = nullptr;
};

}  // namespace tutti::mpi
