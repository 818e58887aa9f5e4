// Where the user wants ranks: --host lists and hostfiles, in Open MPI's and in Hydra's syntax.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/job.hpp"

namespace tutti::launcher {

/// Reads "a:2,b": a host and its slots; without ":N" one slot for each mention, as in both peers.
/// "user@a" says as whom to log in. Throws UsageError for bad syntax.
std::vector<Host> parse_host_list(std::string_view option, std::string_view text);

/// Reads the text of a hostfile, one host a line: "host", "user@host:2" or "host slots=2 max_slots=4
/// user=name"; '#' starts a comment. Without a number the host has as many slots as cores. Throws UsageError
/// with `path` and the line.
std::vector<Host> parse_hostfile(std::string_view path, std::string_view text);

/// parse_hostfile() on the file at `path`.
std::vector<Host> read_hostfile(const std::string& path);

/// Throws UsageError when `name` cannot be the name or address of a host. Nothing passes that a command would
/// take for an option, or a shell for more than a word.
void check_host_name(std::string_view where, std::string_view name);

}  // namespace tutti::launcher
