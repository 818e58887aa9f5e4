// What --stats says at the end of a job, and writes to its file.
#pragma once

#include <string>
#include <vector>

#include "launcher/profile/job_statistics.hpp"

namespace tutti::launcher {

/// Some twenty lines.
std::string summary_of(const Statistics& statistics);

/// A JSON document; docs/guide/profiling.md has its members. `programs`: their command lines.
std::string json_of(const Statistics& statistics, const std::vector<std::vector<std::string>>& programs);

/// A page that needs nothing else.
std::string page_of(const Statistics& statistics, const std::vector<std::vector<std::string>>& programs);

}  // namespace tutti::launcher
