// The Slurm allocation that the launcher was started in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/job.hpp"

namespace tutti::launcher {

/// The names in a list of Slurm's: "node[01-03,7],login" is node01, node02, node03, node7, login. A name
/// may have several brackets. Throws UsageError with `variable` for anything else and for more than
/// kMaxRanks names.
std::vector<std::string> expand_host_list(std::string_view variable, std::string_view text);

/// "2(x3),1" is 2, 2, 2, 1. Throws UsageError likewise.
std::vector<int> expand_counts(std::string_view variable, std::string_view text);

/// The hosts of the Slurm job that this process belongs to, with one slot for each task; nothing outside of
/// a job. Reads the environment only. Throws UsageError when that contradicts itself.
std::optional<std::vector<Host>> slurm_allocation();

/// Whether `name` is the node of the allocation that this process runs on.
bool is_this_slurm_node(std::string_view name);

}  // namespace tutti::launcher
