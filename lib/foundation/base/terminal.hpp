// Whether anybody sees how far a program is: on a terminal, or through a launcher that writes to one.
#pragma once

#include <string>

namespace tutti::base {

/// What tuttirun tells its ranks by: the identity of the pipe to it whose end is a terminal. Where a rank's
/// output was sent elsewhere since, it is another file.
inline constexpr const char* kTerminalVariable = "TUTTI_TERMINAL";

/// "DEVICE:INODE" of an open file.
std::string identity_of_file(int descriptor);

/// Whether what is written there is seen on a terminal that can erase a line: itself, or at the end of the
/// pipe that TUTTI_TERMINAL names.
bool reaches_terminal(int descriptor);

}  // namespace tutti::base
