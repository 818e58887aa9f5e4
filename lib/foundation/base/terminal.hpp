// Whether a user sees a program's progress: on a terminal, or through a launcher that writes to one.
#pragma once

#include <string>

namespace tutti::base {

/// tuttirun sets it for its ranks: the identity of the pipe to tuttirun, whose other end is a terminal. If a
/// rank's output is redirected later, it is another file.
inline constexpr const char* kTerminalVariable = "TUTTI_TERMINAL";

/// "DEVICE:INODE" of an open file.
std::string identity_of_file(int descriptor);

/// Whether output to it appears on a terminal that can erase a line: the descriptor is a terminal, or it is
/// the pipe that TUTTI_TERMINAL names.
bool reaches_terminal(int descriptor);

}  // namespace tutti::base
