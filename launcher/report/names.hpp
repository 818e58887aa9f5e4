// What operations, algorithms and communicators are called in reports, statistics and timelines.
#pragma once

#include <cstdint>
#include <string>

#include "lib/foundation/observe/status_page.hpp"

namespace tutti::launcher {

/// "recv", "allreduce", "wait for a receive". `signature`: that of a collective, or a observe::WindowCall.
std::string name_of_operation(observe::Operation operation, std::uint64_t signature);

/// "ring"; empty for a collective that has only one algorithm.
std::string name_of_algorithm(std::uint64_t signature);

/// "world", "rows", "communicator 0.3". `given`: what the program calls it; empty: nothing.
std::string name_of_communicator(std::uint64_t context, const std::string& given);
/// That name, with quotes around a given one, as in "on \"rows\"". Windows name their communicators
/// themselves: "window 1", "window \"table\"".
std::string communicator_in_words(std::uint64_t context, const std::string& given);

}  // namespace tutti::launcher
