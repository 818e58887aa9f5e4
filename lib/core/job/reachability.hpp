// Nodes of a job check at its start that they reach each other.
#pragma once

#include <vector>

namespace tutti::detail {

class Process;

/// Up to this number each pair of nodes checks. Beyond it, each node asks those at distances 1, 2, 4 ...
/// around the ring of nodes, so that no rank has more than a few dozen connections.
inline constexpr int kMostNodesAsked = 64;

/// The nodes that `node` of `nodes` asks, ascending. A node that is asked asks back.
std::vector<int> nodes_asked(int node, int nodes);

/// The lowest ranks of the nodes exchange empty messages. This makes the connections that hierarchical
/// collectives use later. Throws if a rank cannot be reached.
void prove_reachability(Process& process);

}  // namespace tutti::detail
