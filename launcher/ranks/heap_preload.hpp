// malloc from memory that peers can map: the heap's library (lib/heap) goes before the rank's program.
#pragma once

#include <string>

#include "launcher/ranks/rank_environment.hpp"

namespace tutti::launcher {

/// Puts the library first in LD_PRELOAD for ranks with this environment, unless TUTTI_HEAP says off, the
/// library is not installed or `program` is of another machine or C library, or, without TUTTI_HEAP=on,
/// starts a container. Where LD_PRELOAD cannot hold its path, a link in the session directory stands for it.
/// True where it did. In the rank, the library decides whether the program is one that it serves. Throws
/// std::runtime_error for a wrong value.
bool preload_heap(RankEnvironment& environment, const std::string& program,
                  const std::string& session_directory);

}  // namespace tutti::launcher
