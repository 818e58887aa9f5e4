// Rankfiles: which rank runs where, a rank a line, as Open MPI has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/job_plan.hpp"

namespace tutti::launcher {

/// Reads the text of a rankfile: "rank 0=host slot=1:0-2". A host is named as in a hostfile, or "+n1" is the
/// second host of the job. `slot` may be missing; what it may be says placement/slot_list.hpp. '#' starts a
/// comment. Returns one host for each rank, in order of rank, with Host::listed. Throws UsageError with
/// `path` and the line for bad syntax, for a rank that is named twice, and for one below the highest that is
/// not named.
std::vector<Host> parse_rankfile(std::string_view path, std::string_view text);

/// parse_rankfile() on the file at `path`.
std::vector<Host> read_rankfile(const std::string& path);

/// The K of "+nK", else -1.
int relative_host(std::string_view where, std::string_view name);

/// Puts the ranks of `rankfile` on `hosts`, of which each is another machine. A host that is not among them
/// is added, or, with `only_these`, an error. Throws UsageError.
void list_ranks(std::vector<Host>& hosts, const std::vector<Host>& rankfile, bool only_these);

}  // namespace tutti::launcher
