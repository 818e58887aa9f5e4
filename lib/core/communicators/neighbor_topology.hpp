// Communicators whose ranks have neighbours, for every interface of the library.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "collectives/framework/grid.hpp"
#include "collectives/framework/neighbors.hpp"
#include "tutti/calls.hpp"

namespace tutti::detail {

/// The neighbours of this rank. Constant. All handles of the communicator and its active operations share it.
struct Topology {
    std::vector<int> sources;  // null_rank: beyond a border
    std::vector<int> destinations;
    std::optional<collectives::Grid> grid;

    collectives::Neighbors neighbors() const noexcept { return {sources, destinations, grid.has_value()}; }
};

/// The place of this rank in a grid of the first ranks of `old`; null_rank outside. `reorder`: neighbours
/// share nodes.
int place_in(const collectives::Grid& grid, const CommunicatorState& old, bool reorder);

struct Neighborhood {
    StatePointer state;  // nullptr: this rank is not in it
    TopologyPointer topology;
};

// All are collective over `old`.

/// Any rank has its place_in(grid). `old` has as many ranks as the grid, or more.
Neighborhood create_grid(const StatePointer& old, collectives::Grid grid, bool reorder);
/// `old` is the grid. The ranks with the same coordinates in the dimensions that are not `kept`.
Neighborhood create_sub_grid(const StatePointer& old, const collectives::Grid& grid,
                             const std::vector<bool>& kept);
/// Throws ErrorCode::invalid_argument at all ranks unless both ends of an edge name it equally often:
/// otherwise an exchange would wait for ever. Collective over `state`.
void check_edges(const StatePointer& state, const Topology& topology);
/// All neighbours are ranks of `old`. Throws as check_edges().
Neighborhood create_graph(const StatePointer& old, Topology topology);

}  // namespace tutti::detail
