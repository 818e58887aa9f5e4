// Ranks in a grid, or in any graph.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "tutti/neighbor_communicator.hpp"

namespace tutti {

/// `ranks` as a grid of `dimensions` dimensions: their product is `ranks`, in descending order, and they are
/// as close to each other as possible. Throws ErrorCode::invalid_argument if an argument is below 1.
///
///     balanced_dims(12, 2) is {4, 3}
std::vector<int> balanced_dims(int ranks, int dimensions);

/// Source and destination of a shift; null_rank beyond a border.
struct Shift {
    int source;       // to receive from
    int destination;  // to send to
};

/// Made by Communicator::create_cartesian(). The last dimension runs fastest. The neighbours of a rank are,
/// in each dimension, the one below and the one above.
class CartesianCommunicator : public NeighborCommunicator {
public:
    /// Ranks in each dimension, and whether it is periodic. Valid as long as this or a copy.
    const std::vector<int>& dims() const noexcept;
    const std::vector<bool>& periods() const noexcept;

    /// One coordinate for each dimension. Throws ErrorCode::invalid_rank for a rank outside the grid.
    std::vector<int> coordinates(int rank) const;
    std::vector<int> coordinates() const { return coordinates(rank()); }
    /// null_rank beyond a border. Throws ErrorCode::invalid_argument for a wrong number of coordinates.
    int rank_at(std::span<const int> coordinates) const;
    int rank_at(std::initializer_list<int> coordinates) const
    {
        return rank_at(std::span(coordinates.begin(), coordinates.size()));
    }
    // Refused in words.
    int rank_at(std::integral auto first, std::integral auto...) const
    {
        static_assert(detail::always_false<decltype(first)>,
                      "tutti: coordinates are given as one list: rank_at({row, column})");
        return first;
    }
    /// The ranks `displacement` before and after this one. Throws ErrorCode::invalid_argument for a dimension
    /// that does not exist.
    Shift shift(int dimension, int displacement = 1) const;
    /// The grid of this rank's row, plane, ...: the dimensions for which `kept` is true, at its coordinates
    /// in the others. Collective. Throws ErrorCode::invalid_argument unless there is one value for each
    /// dimension and one is true.
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

inline GraphCommunicator Communicator::create_graph(std::initializer_list<int> sources,
                                                    std::initializer_list<int> destinations) const
{
    return create_graph(std::span(sources.begin(), sources.size()),
                        std::span(destinations.begin(), destinations.size()));
}

}  // namespace tutti
