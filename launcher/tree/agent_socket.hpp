// Makes ssh's own connection faster from outside.
//
// ssh sends its handshake in small messages with Nagle's algorithm on: twice a message waits 40 ms for the
// delayed acknowledgement of the one before. No option of ssh changes that, so its parent does, where the
// kernel permits it.
#pragma once

namespace tutti::launcher {

/// Sets TCP_NODELAY on the TCP connections of a child, given by its pidfd. False where it has none yet, or
/// the kernel does not permit it (seccomp, Yama).
bool disable_nagle(int process) noexcept;

}  // namespace tutti::launcher
