// The CPU time that the control groups of this process allow, in containers mostly.
#pragma once

#include <filesystem>
#include <optional>

namespace tutti::base {

/// Cores' worth of CPU time a second that this process's control group and those above it grant: 1.5 for a
/// quota of 150 ms every 100 ms. Versions 1 and 2 are read. Empty when nothing limits it.
/// `root` stands for "/" (tests give a folder that looks like one).
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace tutti::base
