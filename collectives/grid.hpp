// Grid: ranks arranged in rows and columns, in any number of dimensions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/nodes.hpp"

namespace tutti::collectives {

/// Ranks are counted with the last dimension running fastest. Pure arithmetic.
class Grid {
public:
    /// dims[i] >= 1 ranks in dimension i, and whether its end meets its beginning. The product is an int.
    Grid(std::vector<int> dims, std::vector<bool> periodic);

    const std::vector<int>& dims() const noexcept { return dims_; }
    const std::vector<bool>& periodic() const noexcept { return periodic_; }
    int size() const noexcept;

    /// Of a rank below size().
    std::vector<int> coordinates(int rank) const;
    /// The rank at one coordinate a dimension; -1 beyond a border.
    int rank_at(std::span<const int> coordinates) const;
    /// The rank that lies `displacement` further in a dimension; -1 beyond a border.
    int shifted(int rank, std::size_t dimension, int displacement) const;
    /// In each dimension the rank below and the one above: 2 a dimension, -1 beyond a border.
    std::vector<int> neighbors(int rank) const;
    /// The grid of the dimensions that `kept` names alone.
    Grid reduced_to(const std::vector<bool>& kept) const;

private:
    std::vector<int> dims_;
    std::vector<bool> periodic_;
};

/// `ranks` as a product of as many factors as `dimensions`, the largest first and as small as can be, then
/// the next one. Both are at least 1.
std::vector<int> balanced_dims(int ranks, int dimensions);

/// Where each rank should be in the grid so that neighbours share nodes: its rank there. Nodes of equally
/// many ranks become blocks of the grid with as few neighbours outside as can be, where dimensions can be cut
/// so; else the ranks of a node follow each other. `nodes` has as many ranks as the grid.
std::vector<int> places_by_node(const Grid& grid, const NodeMap& nodes);

}  // namespace tutti::collectives
