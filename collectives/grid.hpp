// Grid: ranks arranged in rows and columns, in any number of dimensions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

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

private:
    std::vector<int> dims_;
    std::vector<bool> periodic_;
};

/// `ranks` as a product of as many factors as `dimensions`, the largest first and as small as can be, then
/// the next one. Both are at least 1.
std::vector<int> balanced_dims(int ranks, int dimensions);

}  // namespace tutti::collectives
