// Which nodes of a job make sure of each other at its start: see Environment::prove_reachability().
#pragma once

#include <vector>

namespace tutti::detail {

/// Up to here each pair of nodes does. Beyond, each node asks those at distances 1, 2, 4 ... around the ring
/// of nodes, so that no rank has more connections than a few dozen.
inline constexpr int kMostNodesAsked = 64;

/// The nodes that `node` of `nodes` asks, ascending. Whoever is asked asks back.
std::vector<int> nodes_asked(int node, int nodes);

}  // namespace tutti::detail
