#include "collectives/situation.hpp"

#include <fmt/format.h>

#include "collectives/parse_bytes.hpp"

namespace tutti::collectives {

std::string missing(Operands operands, Through through, const Situation& situation)
{
    if (has_what_it_needs(operands, through, situation))
        return {};
    if (operands == Operands::commuting && !situation.commutative)
        return "it needs an operator that commutes";
    if (needs_board(through))
        return situation.placement.board_bytes == 0
                   ? "there is no board: ranks of one node share one where they outnumber its cores, from "
                     "their communicator's fourth blocking call on"
                   : fmt::format("the board has room for {}{}", in_bytes(situation.placement.board_bytes),
                                 through == Through::board_of_blocks ? " of a rank's blocks together" : "");
    if (situation.nodes() == 1)
        return "there is one node";
    if (!situation.has_levels())
        return "each node has one rank";
    return through == Through::ordered_nodes
               ? "the nodes' ranks do not follow each other"
               : "the operator does not commute, and the nodes' ranks do not follow each other";
}

}  // namespace tutti::collectives
