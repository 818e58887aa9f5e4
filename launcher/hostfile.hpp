// Where the user wants ranks: --host lists and hostfiles, in Open MPI's and in Hydra's syntax.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/job.hpp"

namespace tutti::launcher {

/// Reads "a:2,b": a host and its slots; without ":N" one slot for each mention, as in both peers.
/// Throws UsageError for bad syntax and for a host that is not this machine.
std::vector<Host> parse_host_list(std::string_view option, std::string_view text);

/// Reads the text of a hostfile, one host a line: "host", "host:2" or "host slots=2 max_slots=4"; '#' starts
/// a comment. Without a number the host has as many slots as cores. Throws UsageError with `path` and the
/// line.
std::vector<Host> parse_hostfile(std::string_view path, std::string_view text);

/// parse_hostfile() on the file at `path`.
std::vector<Host> read_hostfile(const std::string& path);

/// This machine's name as the system reports it.
std::string local_host_name();

/// Whether `name` is this machine: localhost, 127.0.0.1, ::1, or its host name with or without the domain.
/// Asks no name server, so that it cannot block.
bool is_this_host(std::string_view name);

}  // namespace tutti::launcher
