// Which nodes of a job make sure of each other at its start, and how.
#pragma once

#include <vector>

namespace tutti::detail {

class Process;

/// Up to here each pair of nodes does. Beyond, each node asks those at distances 1, 2, 4 ... around the ring
/// of nodes, so that no rank has more connections than a few dozen.
inline constexpr int kMostNodesAsked = 64;

/// The nodes that `node` of `nodes` asks, ascending. Whoever is asked asks back.
std::vector<int> nodes_asked(int node, int nodes);

/// The lowest rank of each node exchanges an empty message with those of the others: it makes the connections
/// that hierarchical collectives use later. Throws where one cannot be reached.
void prove_reachability(Process& process);

}  // namespace tutti::detail
