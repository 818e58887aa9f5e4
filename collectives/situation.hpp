// Situation: the inputs of the choice of an algorithm, and the needs of algorithms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "collectives/group.hpp"
#include "collectives/nodes.hpp"

namespace tutti::collectives {

/// It must be equal at all ranks of a call.
struct Situation {
    int ranks = 1;
    std::size_t size_bytes = 0;
    Placement placement;
    bool commutative = true;
    Selection named = {};  // by the call itself

    bool crowded() const noexcept { return placement.one_node && placement.more_ranks_than_cores; }
    bool mixed() const noexcept { return nodes() > 1 && !placement.nodes->in_rank_order(); }
    int nodes() const noexcept { return placement.nodes != nullptr ? placement.nodes->count() : 1; }
    bool fits_board() const noexcept
    {
        return placement.board_bytes != 0 && size_bytes <= placement.board_bytes;
    }
    /// Whether the board has room for one such block of each rank, without overflow.
    bool blocks_fit_board() const noexcept
    {
        return placement.board_bytes != 0 &&
               size_bytes <= placement.board_bytes / static_cast<std::size_t>(ranks);
    }
    bool has_levels() const noexcept { return nodes() > 1 && nodes() < ranks; }
    /// Whether operands can be combined node by node.
    bool combines_by_node() const noexcept { return commutative || placement.nodes->in_rank_order(); }
};

/// An algorithm's needs beside messages; it is never chosen if they are not met. `commuting`: an operator
/// that commutes. `board`: a board whose slots have room for the data; `board_of_blocks`: for as much for
/// each rank; `streams`: a board of any size, which has streams. `nodes`: several nodes, not all with one
/// rank, and for operators that do not commute, nodes of consecutive ranks. `ordered_nodes`: nodes of
/// consecutive ranks for all operators.
enum class Needs : std::uint8_t { nothing, commuting, board, board_of_blocks, streams, nodes, ordered_nodes };

constexpr bool needs_board(Needs needs) noexcept
{
    return needs == Needs::board || needs == Needs::board_of_blocks || needs == Needs::streams;
}

/// Whether the algorithm's steps are other collectives, which choose their own algorithms.
constexpr bool is_made_of_others(Needs needs) noexcept
{
    return needs == Needs::nodes || needs == Needs::ordered_nodes;
}

inline bool is_met(Needs needs, const Situation& situation) noexcept
{
    return (needs != Needs::commuting || situation.commutative) &&
           (needs != Needs::board || situation.fits_board()) &&
           (needs != Needs::board_of_blocks || situation.blocks_fit_board()) &&
           (needs != Needs::streams || situation.placement.board_bytes != 0) &&
           (needs != Needs::nodes || (situation.has_levels() && situation.combines_by_node())) &&
           (needs != Needs::ordered_nodes || (situation.has_levels() && !situation.mixed()));
}

/// The unmet needs in words; empty if all are met.
std::string missing(Needs needs, const Situation& situation);

}  // namespace tutti::collectives
