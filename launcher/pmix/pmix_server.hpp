// The process with libpmix: answers the PMIx calls of one node's ranks, and reports them to the daemon.
//
// libpmix reads from its port what anybody on this host may send, and may crash or hang over it. So it has
// its own process: the daemon and ranks that have joined the job go on without it.
#pragma once

#include <string>

#include "launcher/base/open_files.hpp"

namespace tutti::launcher {

/// Serves until the daemon closes the stream `daemon`. libpmix writes to `session_directory`. Reports a
/// failed start by FrameType::pmix_refused.
void run_pmix_server(UniqueFd daemon, const std::string& session_directory);

}  // namespace tutti::launcher
