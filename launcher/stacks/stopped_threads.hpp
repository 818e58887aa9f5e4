// Stops threads of another process for a moment, as a debugger does, and lets them go on.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace tutti::launcher {

class StoppedThreads {
public:
    using Clock = std::chrono::steady_clock;

    /// Stops those of `threads` that stop before `deadline`. No signal is sent, so the process's parent, its
    /// handlers and its system calls that restart see nothing of it.
    StoppedThreads(pid_t process, const std::vector<pid_t>& threads, Clock::time_point deadline);
    /// They go on, with the signals that arrived meanwhile.
    ~StoppedThreads();
    StoppedThreads(const StoppedThreads&) = delete;
    StoppedThreads& operator=(const StoppedThreads&) = delete;

    const std::vector<pid_t>& stopped() const noexcept { return stopped_; }
    /// Why a thread did not stop, with the remedy; empty when all did.
    const std::string& why_not() const noexcept { return why_not_; }

private:
    std::vector<pid_t> stopped_;
    std::vector<std::pair<pid_t, int>> attached_;  // with the signal that it gets when it goes on
    std::string why_not_;
};

/// Why the kernel does not let this process stop others, with the remedy. `yama_scope`:
/// kernel.yama.ptrace_scope, 0 where there is none.
std::string why_ptrace_is_forbidden(int yama_scope);

/// The threads of a process, the main thread first; empty when it is gone.
std::vector<pid_t> threads_of(pid_t process);

}  // namespace tutti::launcher
