// The CPU time that the control groups of this process allow, mostly in containers.
#pragma once

#include <filesystem>
#include <optional>

namespace tutti::base {

/// The CPU time that this process's control group and those above it grant, in cores: 1.5 for a quota of 150
/// ms every 100 ms. Reads versions 1 and 2. Empty when there is no limit. `root` stands for "/" (tests pass a
/// folder).
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace tutti::base
