// A rank that crashes says so to its daemon, which reads its stack from outside, before the signal ends it.
//
// Only signals that the program leaves to the system are handled, so its own handlers, and those of
// sanitizers and debuggers, work as without Tutti. The signal then takes its default action: exit status and
// core file are as without the handler.
#pragma once

#include "lib/foundation/control/channel.hpp"

namespace tutti::detail {

/// From now on until ignore_crashes(). `daemon` must live as long; nullptr: nothing is handled. The calling
/// thread gets a stack for the handler, for the case that its own overflows. Throws for a wrong value of
/// TUTTI_CRASH_STACKS.
void report_crashes(control::Channel* daemon);
/// Gives the calling thread such a stack, too, until it ends. More calls do nothing.
void prepare_thread_for_crash() noexcept;
void ignore_crashes() noexcept;

}  // namespace tutti::detail
