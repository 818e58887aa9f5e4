// tuttirun --top: watches the ranks of a running job.
#pragma once

#include <string>

namespace tutti::launcher {

/// Shows the job until it ends or the user quits; without a job, the only one of this user. Where there is no
/// terminal, prints what its ranks do, once. Throws UsageError, NoSuchJob, and std::runtime_error where the
/// job gives no answer.
void show_top(const std::string& job);

}  // namespace tutti::launcher
