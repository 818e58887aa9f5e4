// tuttirun --daemon: the daemon of a host other than the head's.
#pragma once

namespace tutti::launcher {

/// Reads its record from standard input, joins the job, and serves it to its end. Returns the process's exit
/// status. What goes wrong is said on stderr, which ssh carries to the head.
int run_remote_daemon();

}  // namespace tutti::launcher
