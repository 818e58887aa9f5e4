// malloc from memory that peers can map: the heap's library (lib/heap) goes before the rank's program.
#pragma once

#include <string>

#include "launcher/ranks/rank_environment.hpp"

namespace tutti::launcher {

/// Puts the library first in LD_PRELOAD for ranks with this environment, where TUTTI_HEAP says so, the
/// library is installed and `program` is not of another machine or C library. Throws std::runtime_error for a
/// wrong value.
void preload_heap(RankEnvironment& environment, const std::string& program);

}  // namespace tutti::launcher
