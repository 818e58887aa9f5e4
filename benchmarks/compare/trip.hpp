// How far two cores are from each other at this moment.
#pragma once

#include <optional>

namespace tutti::bench {

/// The trip of a cache line from the first core that this process may use to the second, in ns: the shortest
/// of three, which take milliseconds. Nothing where it may use one core only. Forks.
std::optional<double> trip_ns();

}  // namespace tutti::bench
