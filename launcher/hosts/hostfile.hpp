// The hosts that the user names: --host lists and hostfiles, in the syntax of Open MPI and of Hydra.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/job_plan.hpp"

namespace tutti::launcher {

/// Reads "a:2,b,node[01-03]:4": hosts and their slots. Without ":N" each mention is one slot, as in Open MPI
/// and Hydra. "user@a" names the user to log in as. Brackets are read as in expand_host_list(). Throws
/// UsageError for bad syntax.
std::vector<Host> parse_host_list(std::string_view option, std::string_view text);

/// Reads the text of a hostfile, one host a line: "host", "user@host:2" or "host slots=2 max_slots=4
/// user=name"; '#' starts a comment. A line "node[01-03] slots=2" stands for three. Without a number the host
/// has as many slots as cores. Throws UsageError with `path` and the line.
std::vector<Host> parse_hostfile(std::string_view path, std::string_view text);

/// parse_hostfile() on the file at `path`.
std::vector<Host> read_hostfile(const std::string& path);

/// The text of a file of hosts. `where` names the file's kind in errors. Throws UsageError.
std::string read_small_file(std::string_view where, const std::string& path);

/// Throws UsageError when `name` cannot be the name or address of a host: network::is_host_name().
void check_host_name(std::string_view where, std::string_view name);

}  // namespace tutti::launcher
