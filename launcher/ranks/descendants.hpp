// The processes below this one, whatever sessions and process groups they are in.
//
// When a process ends, its children become children of the nearest process above that is a subreaper
// (PR_SET_CHILD_SUBREAPER). Daemon and watchdog are subreapers, so all that ranks start stays below them.
#pragma once

#include <chrono>

namespace tutti::launcher {

/// Ends all processes below this one and reaps them: by SIGTERM, since some may have to clean up, and by
/// SIGKILL after `timeout`. Gives up after another `timeout` and 2 s, since the kernel may hold a process.
/// Does nothing where no /proc shows them. Makes one system call where there are none.
void end_descendants(std::chrono::milliseconds timeout) noexcept;

}  // namespace tutti::launcher
