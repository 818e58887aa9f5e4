// Keeps other users' connections away from libpmix, which listens on loopback: it takes what comes for
// well-formed, and is kept busy by who says nothing.
//
// Who owns the other end of a connection on this host the kernel tells (sock_diag(7)). libpmix asks the C
// library for connections, by accept(); tuttirun has a function of that name, which comes first.
#pragma once

#include <sys/types.h>

#include <optional>

namespace tutti::launcher {

/// From now on accept() in this process takes only connections of this process's own user and of root. False
/// where the kernel does not tell whose connections are: then all are taken.
bool refuse_strangers() noexcept;

/// The user whose socket is at the other end of a TCP connection within this host. Nothing where that socket
/// has been closed: then the kernel does not know any more whose it was.
std::optional<uid_t> user_of_peer(int connection) noexcept;

}  // namespace tutti::launcher
