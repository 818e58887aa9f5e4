// Descriptors, the limit of open files (ulimit -n), and errors that name it.
#pragma once

#include <exception>
#include <string>

#include "lib/foundation/base/unique_fd.hpp"

namespace tutti::launcher {

using base::UniqueFd;

/// Throws std::runtime_error with the limit and the remedy when this process cannot open `more`
/// descriptors. `what` needs them: "starting 2 ranks here".
void require_open_files(int more, const std::string& what);

/// The system's text for an error, with the remedy where open files are the cause.
std::string describe_system_error(int error_number);
/// The text of an error, likewise with the remedy.
std::string describe(const std::exception& error);

}  // namespace tutti::launcher
