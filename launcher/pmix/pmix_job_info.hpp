// What PMIx clients can ask about a job: its size, the ranks of each node, where each rank runs.
#pragma once

#include <string>

#include "launcher/job/messages.hpp"
#include "launcher/pmix/pmix_info.hpp"

namespace tutti::launcher {

/// For PMIx_server_register_nspace on `node`. The server must be up: it names processors and compresses
/// lists.
PmixInfoList describe_job(const LaunchOrder& order, int node, const std::string& session_directory);

}  // namespace tutti::launcher
