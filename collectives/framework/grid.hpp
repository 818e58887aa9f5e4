// Grid: ranks arranged in rows and columns, in any number of dimensions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/framework/nodes.hpp"

namespace tutti::collectives {

/// Ranks are counted with the last dimension running fastest. Pure arithmetic.
class Grid {
public:
    /// dims[i] >= 1 ranks in dimension i, and whether it is periodic. The product fits an int.
    Grid(std::vector<int> dims, std::vector<bool> periodic);
    /// Why `ranks` ranks are no grid of these dimensions, or none with a part of them; empty: they are.
    /// `finder`: the function that finds dimensions, as the user knows it.
    static std::string fault_in(std::span<const int> dims, int ranks, std::string_view finder);

    const std::vector<int>& dims() const noexcept { return dims_; }
    const std::vector<bool>& periodic() const noexcept { return periodic_; }
    int size() const noexcept;

    /// For a rank below size().
    std::vector<int> coordinates(int rank) const;
    /// The rank at one coordinate for each dimension; -1 beyond a border.
    int rank_at(std::span<const int> coordinates) const;
    /// The rank at `displacement` from `rank` in a dimension; -1 beyond a border.
    int shifted(int rank, std::size_t dimension, std::int64_t displacement) const;
    /// For each dimension the rank below and the one above, -1 beyond a border.
    std::vector<int> neighbors(int rank) const;
    /// The grid of the dimensions that `kept` names.
    Grid reduced_to(const std::vector<bool>& kept) const;

private:
    std::vector<int> dims_;
    std::vector<bool> periodic_;
};

/// `ranks` as a product of `dimensions` factors in descending order, as close to each other as possible: the
/// first and the last differ least, and of such the last is the largest. Both arguments are at least 1.
std::vector<int> balanced_dims(int ranks, int dimensions);

/// The place in the grid for each rank, so that neighbours share nodes. If nodes have equally many ranks and
/// dimensions can be cut so, nodes become blocks of the grid with as few outside neighbours as possible.
/// Otherwise the ranks of a node follow each other. `nodes` has as many ranks as the grid.
std::vector<int> places_by_node(const Grid& grid, const NodeMap& nodes);

}  // namespace tutti::collectives
