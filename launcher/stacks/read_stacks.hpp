// Reads the stacks of another process's threads from outside, in two steps. The threads are stopped for the
// time that unwinding takes. Names and lines are looked up when they have gone on; ranks of one program share
// these.
#pragma once

#include "launcher/stacks/stack.hpp"

namespace tutti::launcher {

/// The calls of any process that this one may trace, by their places. Reads how programs unwind, which may be
/// damaged: to be called in a process of its own, as StackReader does. Says in `missing` what is not to be
/// had.
UnwoundProcess unwind(pid_t process, const StackLimits& limits);

/// For each place the function there, and before it those that the compiler has put into it; at least one
/// frame each. Reads debug information, which may be large as well: likewise.
std::vector<std::vector<StackFrame>> name_places(const std::vector<CodePlace>& places);

/// What reading stacks needs that this build lacks; empty: nothing.
std::string why_no_stacks();

}  // namespace tutti::launcher
