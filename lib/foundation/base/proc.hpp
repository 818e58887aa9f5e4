// Where /proc shows a process. It may be that of another PID namespace (`unshare -p -f` without --mount-proc,
// a container that has its host's): there each process has another number than here, and the number that it
// has here is another process's.
#pragma once

#include <sys/types.h>

#include <string>

namespace tutti::base {

/// Whether /proc calls processes by the numbers that they have for this process.
bool proc_has_our_numbers() noexcept;

/// The folder of a process, "/proc/12", by its number for this process. Where /proc does not show it, the
/// path of nothing.
std::string proc_folder(pid_t pid);

}  // namespace tutti::base
