// A daemon's way into the job: connects to whoever has started it.
#pragma once

#include "launcher/base/open_files.hpp"
#include "launcher/job/daemon_record.hpp"

namespace tutti::launcher {

/// Connects to the parent that `record` names, as the daemon of `node`, and exchanges proofs with it. Tries
/// the address from which ssh came first, then those of the record, a new one every moment while the others
/// still wait. Blocks for some seconds at most. The result does not block, and what comes next on it is a
/// frame. Throws std::runtime_error with all addresses and what was wrong with each.
UniqueFd join_job(const DaemonRecord& record, int node);

}  // namespace tutti::launcher
