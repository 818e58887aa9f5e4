// Makes one timeline of what ranks of several hosts have recorded: all times on the head's clock, messages
// with both their ends, and none that arrives before it is sent, as far as moving whole hosts can do that.
#pragma once

#include <span>

#include "launcher/profile/trace.hpp"
#include "launcher/profile/trace_clocks.hpp"

namespace tutti::launcher {

/// `trace` has its hosts and ranks; this fills in the rest. `clocks` are by node, or there are none.
void align(JobTrace& trace, std::span<const ClockTrack> clocks);

}  // namespace tutti::launcher
