// tutti-bench plot: pictures of runs and comparisons.
#pragma once

namespace tutti::bench {

/// argv[0] is "tutti-bench plot". Returns the exit status: 2 for a mistake of the command line, 1 when a file
/// cannot be read, drawn or written.
int run_plot(int argc, const char* const* argv);

}  // namespace tutti::bench
