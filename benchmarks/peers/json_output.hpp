// The results of a comparison, for other programs to read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tutti::bench {

/// Writes all of `document` to the file that --json names; nothing where that is empty. Called before
/// anything is measured, so that a name that cannot be is told at once, and after each step: what has been
/// measured survives an interruption. Throws std::runtime_error.
void write_json(const std::string& json_file, const nlohmann::json& document);

}  // namespace tutti::bench
