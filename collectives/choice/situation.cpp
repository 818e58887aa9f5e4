#include "collectives/choice/situation.hpp"

#include <fmt/format.h>

#include "collectives/choice/parse_bytes.hpp"

namespace tutti::collectives {

std::string missing(Needs needs, const Situation& situation)
{
    if (is_met(needs, situation))
        return {};
    if (needs == Needs::commuting)
        return "it needs an operator that commutes";
    if (needs_board(needs) && situation.placement.board_bytes == 0)
        return "there is no board: ranks of one node share one from their communicator's fourth blocking "
               "call on";
    if (needs == Needs::streams_of_two && situation.ranks != 2)
        return "it is for two ranks";
    if (needs == Needs::streams || needs == Needs::streams_of_two)
        return fmt::format("an element is longer than {}, the longest chunk of a stream",
                           in_bytes(situation.placement.chunk_bytes));
    if (needs_board(needs))
        return fmt::format("the board has room for {}{}", in_bytes(situation.placement.board_bytes),
                           needs == Needs::board_of_blocks ? " of a rank's blocks together" : "");
    if (situation.nodes() == 1)
        return "there is one node";
    if (!situation.has_levels())
        return "each node has one rank";
    return needs == Needs::ordered_nodes
               ? "the nodes' ranks do not follow each other"
               : "the operator does not commute, and the nodes' ranks do not follow each other";
}

}  // namespace tutti::collectives
