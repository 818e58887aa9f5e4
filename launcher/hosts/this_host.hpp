// Whether a name that the user writes is this machine.
#pragma once

#include <string>
#include <string_view>

namespace tutti::launcher {

/// This machine's name as the system reports it.
std::string local_host_name();

/// Whether `name` is this machine: localhost, its host name with or without its domain, or the address of
/// one of its interfaces. Only the resolver knows a name with a domain that the host name lacks. Asks no
/// name server, so it does not block.
bool is_this_host(std::string_view name);

/// Whether `name` is equal to this machine's up to the first dot: only the resolver can tell whether it is
/// this machine.
bool is_like_this_host(std::string_view name);

/// Whether the system's resolver, which may ask a name server, knows only addresses of this machine for
/// `name`. Another host may have some of them, too, such as those of bridges.
bool resolves_to_this_host(const std::string& name);

}  // namespace tutti::launcher
