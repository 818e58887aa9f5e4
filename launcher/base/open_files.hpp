// The limit of open files (ulimit -n), called by its name wherever it is in the way.
#pragma once

#include <exception>
#include <string>

namespace tutti::launcher {

/// Throws std::runtime_error with the limit and the remedy where it leaves this process no room for `more`
/// descriptors, which `what` takes: "starting 2 ranks here".
void require_open_files(int more, const std::string& what);

/// What the system says about an error, and the remedy where it is one of open files.
std::string describe_system_error(int error_number);
/// Likewise of an error's text.
std::string describe(const std::exception& error);

}  // namespace tutti::launcher
