// The neighbours of this rank in a communicator.
#pragma once

#include <optional>
#include <vector>

#include "collectives/grid.hpp"
#include "collectives/neighbors.hpp"

namespace tutti::detail {

/// Constant. All handles of the communicator and its active operations share it.
struct Topology {
    std::vector<int> sources;
    std::vector<int> destinations;
    std::optional<collectives::Grid> grid;

    collectives::Neighbors neighbors() const noexcept { return {sources, destinations, grid.has_value()}; }
};

}  // namespace tutti::detail
