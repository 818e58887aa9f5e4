// ssh's own connection, improved from outside.
//
// ssh sends its handshake in small messages that it writes one by one, and leaves Nagle's algorithm on: twice
// a message waits for the other end's delayed acknowledgement of the one before, 40 ms each, in which nobody
// does anything. No option of ssh's changes that, so its parent does, where the kernel lets it.
#pragma once

namespace tutti::launcher {

/// Lets the TCP connections of a child, a process by its pidfd, send without delay. False where it has none
/// yet, or the kernel does not let its parent touch them (seccomp, Yama): then all is as it was.
bool disable_nagle(int process) noexcept;

}  // namespace tutti::launcher
