// The functions and lines that an address of a process belongs to.
#pragma once

#include <elfutils/libdwfl.h>

#include <vector>

#include "launcher/stacks/stack.hpp"

namespace tutti::launcher {

/// Adds the frame of the function that holds `address`, and before it those of functions that the compiler
/// has put into it.
void append_frames(Dwfl* process, Dwarf_Addr address, std::vector<StackFrame>& frames);

}  // namespace tutti::launcher
