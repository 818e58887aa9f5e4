// Keeps connections of other users away from libpmix, which listens on loopback, does not check what it
// reads, and waits for connections that send nothing.
//
// The kernel knows which user owns the other end of a connection on this host (sock_diag(7)). libpmix calls
// accept(); tuttirun has a function of that name, which replaces the C library's.
#pragma once

#include <sys/types.h>

#include <optional>

namespace tutti::launcher {

/// From now on accept() in this process takes connections of its own user and of root only. False where the
/// kernel does not name the user: then it takes all.
bool refuse_other_users() noexcept;

/// The user of the socket at the other end of a TCP connection within this host. Nothing where that is
/// closed: the kernel has forgotten its user.
std::optional<uid_t> user_of_peer(int connection) noexcept;

}  // namespace tutti::launcher
