// The process that holds libpmix: answers the PMIx calls of one node's ranks, and tells the daemon of them.
//
// libpmix reads from its port what anybody on this host may send, and may crash or stand still over it. So it
// is in a process of its own: ranks that are part of the job, and the daemon, go on without it.
#pragma once

#include <string>

#include "launcher/base/unique_fd.hpp"

namespace tutti::launcher {

/// Serves until the daemon hangs up on `daemon`. `session_directory` is for what libpmix writes. A start that
/// fails is told to the daemon by FrameType::pmix_refused.
void run_pmix_server(UniqueFd daemon, const std::string& session_directory);

}  // namespace tutti::launcher
