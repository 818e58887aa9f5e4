// Whether this process is a copy of one that uses Tutti.
#pragma once

namespace tutti::base {

/// True in a child that fork() has made of a process that had this library: memory that both share is the
/// parent's. Any thread, also while the process ends.
bool is_forked_child() noexcept;

}  // namespace tutti::base
