// The machine on which figures were taken: all that affects them, and nothing that identifies the owner (no
// host names, no paths).
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tutti::bench {

/// The machine, the system and this build, as an object of named facts; null stands for what cannot be known
/// here. `root` is where /proc, /sys and /etc are looked for: other than "/" only in tests.
nlohmann::json environment(const std::filesystem::path& root = "/");

/// Processes that ran or wanted to, on average of the last minute: "0.25"; "unknown" where the system does
/// not tell.
std::string load_text(const std::filesystem::path& root = "/");

}  // namespace tutti::bench
