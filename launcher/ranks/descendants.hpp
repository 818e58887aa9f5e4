// The processes below this one, whatever sessions and process groups they are in.
//
// What a process leaves behind when it ends goes to the nearest process above it that is a subreaper
// (PR_SET_CHILD_SUBREAPER). Daemon and watchdog are: so all that ranks start stays below them.
#pragma once

#include <chrono>

namespace tutti::launcher {

/// Ends all processes below this one and reaps them: SIGTERM, since one may itself have to clean up, and
/// SIGKILL to what is left after `patience`. Gives up after as long again and 2 s (the kernel may hold a
/// process), and where there is no /proc that shows them. Costs one system call where there are none.
void end_descendants(std::chrono::milliseconds patience) noexcept;

}  // namespace tutti::launcher
