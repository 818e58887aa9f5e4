// What operations and algorithms are called in statistics and timelines.
#pragma once

#include <cstdint>
#include <string>

#include "lib/foundation/base/status_page.hpp"

namespace tutti::launcher {

/// "recv", "allreduce", "wait for a receive". `signature`: that of a collective.
std::string name_of_operation(base::Operation operation, std::uint64_t signature);

/// "ring"; empty for a collective that has only one algorithm.
std::string name_of_algorithm(std::uint64_t signature);

}  // namespace tutti::launcher
