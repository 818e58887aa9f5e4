// The process with libpmix: answers the PMIx calls of one node's ranks, and reports them to the daemon.
//
// libpmix reads from its port what anybody on this host may send, and may crash or hang over it. So it has
// its own process: the daemon and ranks that have joined the job go on without it.
#pragma once

#include <pmix_server.h>

#include <string>
#include <vector>

#include "launcher/pmix/pmix_reports.hpp"

namespace tutti::launcher {

/// Serves until the daemon closes the stream `daemon`. libpmix writes to `session_directory`. Reports a
/// failed start by FrameType::pmix_refused.
void run_pmix_server(UniqueFd daemon, const std::string& session_directory);

/// The functions that libpmix calls when ranks make PMIx calls. They report to `reports`, which must stay. To
/// be called once, before libpmix starts.
pmix_server_module_t* pmix_module(PmixReports& reports);

/// The job, and which of its ranks are on this node. To be called before any rank exists.
void set_pmix_job(const std::string& job_name, std::vector<bool> is_local);

}  // namespace tutti::launcher
