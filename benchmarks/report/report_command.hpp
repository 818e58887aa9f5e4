// tutti-bench report: runs and comparisons as one page that can be passed on.
#pragma once

namespace tutti::bench {

/// argv[0] is "tutti-bench report". Returns the exit status: 2 for a mistake of the command line, 1 when a
/// file cannot be read, drawn or written.
int run_report(int argc, const char* const* argv);

}  // namespace tutti::bench
