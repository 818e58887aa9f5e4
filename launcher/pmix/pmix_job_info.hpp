// The values that PMIx clients can get of a job: its size, the ranks of each node, where each rank runs.
#pragma once

#include <string>

#include "launcher/job/messages.hpp"
#include "launcher/pmix/pmix_info.hpp"

namespace tutti::launcher {

/// For PMIx_server_register_nspace on `node`. The PMIx server must run, since it compresses lists.
PmixInfoList describe_job(const LaunchOrder& order, int node, const std::string& session_directory);

}  // namespace tutti::launcher
