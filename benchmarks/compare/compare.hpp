// tutti-bench compare: Tutti beside its peers, the same loops on the same machine at the same time.
#pragma once

namespace tutti::bench {

/// argv[0] is "tutti-bench compare". Exit status: 0 whichever library is faster; 1 if a run failed; 2 for a
/// mistake of the command line; 128 + signal if interrupted, with the results so far in the file.
int run_compare(int argc, const char* const* argv);

}  // namespace tutti::bench
