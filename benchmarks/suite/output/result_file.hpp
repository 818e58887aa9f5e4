// Files for results: checked before the measurement, written once at its end.
#pragma once

#include <string>
#include <string_view>

namespace tutti::bench {

/// Throws std::runtime_error, naming the option and the reason, when `file` cannot be written. Nothing for
/// "".
void check_writable(std::string_view option, const std::string& file);

/// Writes the whole file. Throws like check_writable(). Nothing for "".
void write_result(std::string_view option, const std::string& file, std::string_view text);

}  // namespace tutti::bench
