// Reads the stacks of another process's threads from outside: the threads are stopped for the time that
// unwinding takes; names and lines are looked up when they have gone on.
#pragma once

#include "launcher/stacks/stack.hpp"

namespace tutti::launcher {

/// Any process that this one may trace. Reads programs' debug information, which may be damaged and large: to
/// be called in a process of its own, as StackReader does. Says in `missing` what is not to be had.
ProcessStacks read_stacks(pid_t process, const StackLimits& limits);

/// For each place the innermost function there that is of the user, or else the outermost one. Also to be
/// called in a process of its own.
std::vector<StackFrame> name_places(const std::vector<CodePlace>& places);

/// What reading stacks needs that this build lacks; empty: nothing.
std::string why_no_stacks();

}  // namespace tutti::launcher
