// What the tests of hierarchical algorithms share: ways to deal ranks over nodes.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "collectives/framework/nodes.hpp"
#include "tests/simulator/support.hpp"

namespace tutti::collectives::test {

/// Ways to deal `ranks` ranks over up to four nodes: in blocks, in turn, and unevenly with nodes of one rank.
inline std::vector<NodeMap> ways_to_deal(int ranks)
{
    std::vector<NodeMap> ways;
    for (int nodes = 1; nodes <= std::min(4, ranks); ++nodes) {
        ways.push_back(NodeMap::in_blocks(ranks, nodes));
        std::vector<int> in_turn;
        std::vector<int> mostly_last;
        for (int rank = 0; rank < ranks; ++rank) {
            in_turn.push_back(rank % nodes);
            mostly_last.push_back(std::min(rank, nodes - 1));
        }
        ways.emplace_back(in_turn);
        ways.emplace_back(mostly_last);
    }
    return ways;
}

inline Settings settings_over(const NodeMap& nodes, SendMode mode)
{
    Settings settings;
    settings.mode = mode;
    settings.placement.nodes = &nodes;
    return settings;
}

inline std::string text_of(const NodeMap& nodes, int ranks)
{
    std::string text;
    for (int rank = 0; rank < ranks; ++rank)
        text += std::to_string(nodes.node_of(rank)) + " ";
    return text;
}

template <class Check>
void everywhere(Check check)
{
    for (const SendMode mode : kModes) {
        for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
            for (const NodeMap& nodes : ways_to_deal(ranks)) {
                CAPTURE(static_cast<int>(mode), ranks, text_of(nodes, ranks));
                check(mode, ranks, nodes);
            }
        }
    }
}

}  // namespace tutti::collectives::test
