// The least work of an alltoall of two hosts with two ranks each: the blocks that cross, over TCP.
#pragma once

#include <vector>

#include "benchmarks/limits/sockets.hpp"

namespace tutti::bench {

/// Connections between two hosts on which each has two processes, all with all.
inline constexpr std::size_t kExchangeConnections = 4;

/// Both ends call it with the connections in the order in which they were made. A second process is forked
/// for the time of the call; `first` says which host prints the table. Throws std::runtime_error when a
/// connection ends.
void exchange_between_hosts(std::vector<ProbeSocket> connections, bool first);

}  // namespace tutti::bench
