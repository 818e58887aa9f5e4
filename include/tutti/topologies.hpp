// Ranks in a grid, or in any graph.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tutti/neighbor_communicator.hpp"

namespace tutti {

/// `ranks` as a grid of as many dimensions as asked for: they multiply up to `ranks`, fall, and the largest
/// is as small as can be. Throws ErrorCode::invalid_argument where a number is below 1.
///
///     balanced_dims(12, 2) is {4, 3}
std::vector<int> balanced_dims(int ranks, int dimensions);

/// Whom a shift receives from and sends to; null_rank beyond a border.
struct Shift {
    int source;
    int destination;
};

/// Made by Communicator::create_cartesian(). Ranks are counted with the last dimension running fastest. The
/// neighbours of a rank are, in each dimension, the one below and the one above.
class CartesianCommunicator : public NeighborCommunicator {
public:
    /// Ranks in each dimension, and whether its end meets its beginning. Valid as long as a copy of this.
    const std::vector<int>& dims() const noexcept;
    const std::vector<bool>& periods() const noexcept;

    /// One a dimension. Throws ErrorCode::invalid_rank where there is no such rank.
    std::vector<int> coordinates(int rank) const;
    std::vector<int> coordinates() const { return coordinates(rank()); }
    /// null_rank beyond a border. Throws ErrorCode::invalid_argument unless there is one for each dimension.
    int rank_at(std::span<const int> coordinates) const;
    /// The ranks that lie `displacement` before and behind this one. Throws ErrorCode::invalid_argument where
    /// there is no such dimension.
    Shift shift(int dimension, int displacement = 1) const;
    /// The grid of this rank's row, plane, ...: the dimensions that `kept` names, through its place in the
    /// others. Collective. Throws ErrorCode::invalid_argument unless there is one value for each dimension,
    /// and one is true.
    ///
    ///     grid.sub({false, true}) is the row of a grid of rows and columns
    CartesianCommunicator sub(const std::vector<bool>& kept) const;

private:
    friend class Communicator;
    using NeighborCommunicator::NeighborCommunicator;
};

/// Made by Communicator::create_graph(), with the neighbours in the order given there.
class GraphCommunicator : public NeighborCommunicator {
    friend class Communicator;
    using NeighborCommunicator::NeighborCommunicator;
};

}  // namespace tutti
