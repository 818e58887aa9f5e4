// Which of the names that a user writes is this machine.
#pragma once

#include <string>
#include <string_view>

namespace tutti::launcher {

/// This machine's name as the system reports it.
std::string local_host_name();

/// Whether `name` is this machine: localhost, its host name, also without a domain that this has, or the
/// address of one of its interfaces. A domain that the host name lacks may be another machine's: only the
/// resolver knows. Asks no name server, so that it cannot block.
bool is_this_host(std::string_view name);

/// Whether `name` begins as this machine's does, up to the first point: what the resolver has to tell apart.
bool is_like_this_host(std::string_view name);

/// Whether the system's resolver, which may ask a name server, knows `name` for addresses of this machine
/// only: another host may share some with it, such as those of bridges.
bool resolves_to_this_host(const std::string& name);

}  // namespace tutti::launcher
