// Which signals the launcher takes, and from when on.
#pragma once

#include <signal.h>

#include <vector>

#include "launcher/base/unique_fd.hpp"
#include "launcher/ranks/spawn.hpp"

namespace tutti::launcher {

/// Blocks the signals in this thread and in those that it starts, but for those that end a program that has
/// gone wrong (its daemons clean up after it). Ignores SIGPIPE, and allows as many open files as the system
/// does. Returns what was before, for the ranks.
InheritedState take_over_process();

/// A signalfd for the signals that end, stop or continue the job, and those to be passed on to the ranks
/// (SIGUSR1, SIGUSR2 and `forwarded`), which are blocked from now on: to be called before there are threads.
/// Signals that the launcher's parent had ignored (nohup) stay ignored.
UniqueFd open_launcher_signals(const std::vector<int>& forwarded);

}  // namespace tutti::launcher
