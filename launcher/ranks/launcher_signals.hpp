// Which signals the launcher takes, and from when on.
#pragma once

#include <signal.h>

#include <vector>

#include "launcher/base/descriptors.hpp"
#include "launcher/ranks/spawn.hpp"

namespace tutti::launcher {

/// Blocks signals in this thread and in those that it starts, except those that end a faulty program (its
/// daemons clean up then). Ignores SIGPIPE, learns of the ends of its children (SIGCHLD), raises the limit of
/// open files, and sets HOME where the user has none. Returns the state before, for the ranks.
InheritedState take_over_process();

/// A signalfd for the signals that end, stop or continue the job or ask what it does, and for those that are
/// passed on to the ranks (SIGUSR1 and `forwarded`). Blocks them, so it must be called before there are
/// threads. Signals that the launcher's parent ignores (nohup) stay ignored.
UniqueFd open_launcher_signals(const std::vector<int>& forwarded);

/// A signalfd for `signals`, which must be blocked. Throws std::system_error.
UniqueFd open_signals(const std::vector<int>& signals);
/// The signals that have arrived at a signalfd.
std::vector<int> read_signals(const UniqueFd& signals);

}  // namespace tutti::launcher
