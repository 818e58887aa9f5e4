// Situation: the inputs of the choice of an algorithm, and the needs of algorithms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "collectives/framework/group.hpp"
#include "collectives/framework/nodes.hpp"

namespace tutti::collectives {

/// It must be equal at all ranks of a call.
struct Situation {
    int ranks = 1;
    std::size_t size_bytes = 0;
    Placement placement;
    bool commutative = true;
    Selection named = {};           // by the call itself
    std::size_t element_bytes = 1;  // of a reduction
    bool read_in_place = false;     // two ranks, each with a core, may read each other's data where it lies

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
    /// Streams carry whole elements.
    bool fits_streams() const noexcept { return element_bytes <= placement.chunk_bytes; }
    bool has_levels() const noexcept { return nodes() > 1 && nodes() < ranks; }
    /// Whether operands can be combined node by node.
    bool combines_by_node() const noexcept { return commutative || placement.nodes->in_rank_order(); }
};

/// An algorithm's needs beside messages; it is never chosen if they are not met. `commuting`: an operator
/// that commutes. `board`: a board whose slots have room for the data; `board_of_blocks`: for as much for
/// each rank; `streams`: streams whose chunks take an element; `streams_of_two`: two ranks besides. `nodes`:
/// several nodes, not all with one rank, and for operators that do not commute, nodes of consecutive ranks.
/// `ordered_nodes`: nodes of consecutive ranks for all operators.
enum class Needs : std::uint8_t {
    nothing,
    commuting,
    board,
    board_of_blocks,
    streams,
    streams_of_two,
    nodes,
    ordered_nodes
};

constexpr bool needs_board(Needs needs) noexcept
{
    return needs >= Needs::board && needs <= Needs::streams_of_two;
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
           (needs != Needs::streams || situation.fits_streams()) &&
           (needs != Needs::streams_of_two || (situation.fits_streams() && situation.ranks == 2)) &&
           (needs != Needs::nodes || (situation.has_levels() && situation.combines_by_node())) &&
           (needs != Needs::ordered_nodes || (situation.has_levels() && !situation.mixed()));
}

/// The unmet needs in words; empty if all are met.
std::string missing(Needs needs, const Situation& situation);

}  // namespace tutti::collectives
