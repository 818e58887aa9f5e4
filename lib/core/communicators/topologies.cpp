// The C++ interface of grids and graphs.
#include "tutti/topologies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "lib/core/communicators/buffer_checks.hpp"
#include "lib/core/communicators/communicator_access.hpp"
#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/communicators/neighbor_topology.hpp"

namespace tutti {

using collectives::Grid;
using detail::refuse;

namespace {

void check_grid(std::span<const int> dims, std::size_t periods, int ranks)
{
    constexpr std::string_view kOperation = "create_cartesian";
    if (dims.empty())
        refuse(kOperation, "there are no dimensions; give the ranks of at least one");
    if (periods != 0 && periods != dims.size())
        refuse(kOperation, fmt::format("there are {} dimensions and {} periods; give one for each, or none "
                                       "where no dimension is periodic",
                                       dims.size(), periods));
    if (const std::string fault = Grid::fault_in(dims, ranks, "tutti::balanced_dims"); !fault.empty())
        refuse(kOperation, fault);
}

int rank_or_null(int rank)
{
    return rank < 0 ? null_rank : rank;
}

std::vector<int> checked_ranks(std::span<const int> ranks, std::string_view name, int size)
{
    for (const int rank : ranks) {
        if (rank < 0 || rank >= size)
            throw Error(ErrorCode::invalid_rank, "create_graph",
                        fmt::format("among the {} is {}, which is not a rank of this communicator; its ranks "
                                    "are 0 to {}",
                                    name, rank, size - 1),
                        rank);
    }
    return {ranks.begin(), ranks.end()};
}

}  // namespace

std::vector<int> balanced_dims(int ranks, int dimensions)
{
    if (ranks < 1 || dimensions < 1)
        refuse("balanced_dims", fmt::format("there is no grid of {} ranks in {} dimensions; give at least 1 "
                                            "of each",
                                            ranks, dimensions));
    return collectives::balanced_dims(ranks, dimensions);
}

std::optional<CartesianCommunicator> Communicator::create_cartesian(std::vector<int> dims,
                                                                    std::vector<bool> periods,
                                                                    CartesianOptions options) const
{
    check_grid(dims, periods.size(), size_);
    periods.resize(dims.size());
    auto [ranks, topology] =
        detail::create_grid(state_, Grid(std::move(dims), std::move(periods)), options.reorder);
    if (ranks == nullptr)
        return std::nullopt;
    return CartesianCommunicator(Communicator(std::move(ranks)), std::move(topology));
}

GraphCommunicator Communicator::create_graph(std::span<const int> sources,
                                             std::span<const int> destinations) const
{
    auto [ranks, topology] =
        detail::create_graph(state_, {.sources = checked_ranks(sources, "sources", size_),
                                      .destinations = checked_ranks(destinations, "destinations", size_),
                                      .grid = {}});
    return GraphCommunicator(Communicator(std::move(ranks)), std::move(topology));
}

const std::vector<int>& CartesianCommunicator::dims() const noexcept
{
    return topology_->grid->dims();
}

const std::vector<bool>& CartesianCommunicator::periods() const noexcept
{
    return topology_->grid->periodic();
}

std::vector<int> CartesianCommunicator::coordinates(int rank) const
{
    detail::check_rank("coordinates", rank, "this grid", size());
    return topology_->grid->coordinates(rank);
}

int CartesianCommunicator::rank_at(std::span<const int> coordinates) const
{
    if (coordinates.size() != dims().size())
        refuse("rank_at", fmt::format("there are {} coordinates for {} dimensions; give one for each",
                                      coordinates.size(), dims().size()));
    return rank_or_null(topology_->grid->rank_at(coordinates));
}

Shift CartesianCommunicator::shift(int dimension, int displacement) const
{
    if (dimension < 0 || static_cast<std::size_t>(dimension) >= dims().size())
        refuse("shift", fmt::format("there is no dimension {}; this grid's are 0 to {}", dimension,
                                    dims().size() - 1));
    const Grid& grid = *topology_->grid;
    const auto at = static_cast<std::size_t>(dimension);
    return {rank_or_null(grid.shifted(rank(), at, -std::int64_t{displacement})),
            rank_or_null(grid.shifted(rank(), at, displacement))};
}

CartesianCommunicator CartesianCommunicator::sub(const std::vector<bool>& kept) const
{
    const Grid& grid = *topology_->grid;
    if (kept.size() != dims().size() || std::ranges::find(kept, true) == kept.end())
        refuse("sub",
               fmt::format("there are {} values for {} dimensions, {} of them true; give one for each, "
                           "true for those to keep, at least one",
                           kept.size(), dims().size(), std::ranges::count(kept, true)));
    auto [ranks, topology] = detail::create_sub_grid(state_, grid, kept);
    return CartesianCommunicator(CommunicatorAccess::handle_of(std::move(ranks)), std::move(topology));
}

}  // namespace tutti
