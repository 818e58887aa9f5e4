// The TCP connections between head and daemons.
#pragma once

#include <string>
#include <vector>

namespace tutti::launcher {

/// A connection whose other end does not answer for so long is lost, whether it has something to send or not.
/// The kernels ask and answer, so that a process that is stopped, or gets no processor, is not taken for
/// dead.
inline constexpr int kLinkTimeoutSeconds = 8;

/// Whether `fd` is such a connection, and not the stream to the daemon of this machine.
bool is_link(int fd) noexcept;

/// Whether the other end has been silent for so long although it was to answer. To be asked every second or
/// so.
bool link_is_dead(int fd) noexcept;

/// What a socket needs that frames travel on: it is not delayed, and notices that its other end is gone.
void prepare_link(int fd) noexcept;

/// The numeric address of the other end of a connected socket; empty when it is gone already.
std::string peer_address(int fd);

/// Numeric addresses under which other hosts may reach this one, the likely ones first; those of `interface`,
/// as lib/foundation/network reads it, or of TUTTI_INTERFACE where that is empty. Loopback comes last: a
/// daemon may have been started on this machine under another name. Throws tutti::Error when what was named
/// is not there.
std::vector<std::string> own_addresses(const std::string& interface);

}  // namespace tutti::launcher
