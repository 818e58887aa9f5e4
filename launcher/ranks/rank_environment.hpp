// The environment of ranks: the user's own, without variables of an outer launcher.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::launcher {

/// Values by name.
using RankEnvironment = std::map<std::string, std::string>;

/// `environment` (like ::environ) without the variables that tell PMIx clients, PMI clients and Open MPI
/// programs of an outer launcher's job.
RankEnvironment environment_of_ranks(const char* const* environment);

/// "NAME=value".
void set_entry(RankEnvironment& environment, std::string_view entry);

/// The entries of `environment` that ranks on other hosts get, too: all but those that belong to a host, a
/// login or a session (HOME, SSH_*, SLURM* and the like), and what an outer launcher put there for its own
/// ranks. -x and its like forward a variable by name, whatever it is.
std::vector<std::string> forwarded_environment(const char* const* environment);

}  // namespace tutti::launcher
