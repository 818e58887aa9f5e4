// What the kernel says about a process, without its help.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <iosfwd>
#include <optional>

namespace tutti::launcher {

struct ProcessState {
    char letter = '?';                  // R, S, D, T, t, Z: see proc(5)
    std::uint64_t processor_ticks = 0;  // that it has used
    int threads = 0;
    std::uint64_t resident_bytes = 0;

    bool is_stopped() const noexcept { return letter == 'T'; }
    bool is_traced() const noexcept { return letter == 't'; }
    bool sleeps() const noexcept { return letter == 'S' || letter == 'D'; }
};

/// Empty where there is no such process.
std::optional<ProcessState> state_of_process(pid_t pid);

/// Memory of the process that lies in swap space; 0 where there is no such process.
std::uint64_t swapped_bytes(pid_t pid);
/// `status`: the text of /proc/PID/status.
std::uint64_t swapped_bytes(std::istream& status);

/// Whether this user owns it.
bool is_own_process(pid_t pid) noexcept;

}  // namespace tutti::launcher
