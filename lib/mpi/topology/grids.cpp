// Communicators as grids: MPI_Cart_*, and MPI_Dims_create.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "collectives/framework/grid.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"
#include "lib/mpi/topology/topology_object.hpp"

namespace tutti::mpi {

namespace {

using collectives::Grid;

const Grid& grid_of(MPI_Comm comm)
{
    return *topology_of(comm, MPI_CART).neighbors->grid;
}

std::shared_ptr<const Topology> grid_topology(detail::TopologyPointer neighbors)
{
    return std::make_shared<const Topology>(Topology{.kind = MPI_CART, .neighbors = std::move(neighbors)});
}

int dimensions_of(const Grid& grid)
{
    return static_cast<int>(grid.dims().size());
}

/// Throws Failure if the communicator has too few ranks for the grid.
Grid checked_grid(int ranks, int ndims, const int* dims, const int* periods)
{
    check_not_negative("ndims", ndims, MPI_ERR_DIMS);
    const std::span sizes = checked_list(dims, ndims, "dims");
    const std::span given = checked_list(periods, ndims, "periods");
    if (std::string fault = Grid::fault_in(sizes, ranks, "MPI_Dims_create"); !fault.empty())
        fail(MPI_ERR_DIMS, std::move(fault));
    return Grid({sizes.begin(), sizes.end()}, {given.begin(), given.end()});
}

// Factors of `nnodes` for the places of `dims` that are 0.
void fill_dims(int nnodes, std::span<int> dims)
{
    std::int64_t fixed = 1;
    for (std::size_t i = 0; i < dims.size() && fixed <= nnodes; ++i) {
        if (dims[i] < 0)
            fail(MPI_ERR_DIMS,
                 fmt::format("dimension {} is {}; give the number of its ranks, or 0 if it is to be found", i,
                             dims[i]));
        fixed *= std::max(dims[i], 1);
    }
    const auto open = static_cast<std::size_t>(std::ranges::count(dims, 0));
    if (nnodes % fixed != 0 || (open == 0 && fixed != nnodes))
        fail(MPI_ERR_DIMS,
             fmt::format("{} ranks do not fill the dimensions ({}); let the product of those that are given "
                         "divide the ranks, and leave one of them 0 if it is smaller",
                         nnodes, fmt::join(dims, ", ")));
    if (open == 0)
        return;
    // No int has more factors above 1.
    constexpr std::size_t kMostFactors = 31;
    const std::vector<int> found = collectives::balanced_dims(static_cast<int>(nnodes / fixed),
                                                              static_cast<int>(std::min(open, kMostFactors)));
    std::size_t next = 0;
    for (int& dim : dims)
        if (dim == 0)
            dim = next < found.size() ? found[next++] : 1;
}

}  // namespace

int dims_create(int nnodes, int ndims, int* dims)
{
    return guard("MPI_Dims_create", [&] {
        if (nnodes < 1)
            fail(MPI_ERR_ARG, fmt::format("nnodes is {}; a grid has at least 1 rank", nnodes));
        check_not_negative("ndims", ndims, MPI_ERR_DIMS);
        fill_dims(nnodes, {dims, checked_list(dims, ndims, "dims").size()});
    });
}

int cart_create(MPI_Comm comm_old, int ndims, const int* dims, const int* periods, int reorder,
                MPI_Comm* comm_cart)
{
    return guard_result("MPI_Cart_create", comm_old, comm_cart, "comm_cart", [&] {
        const Communicator& old = intracommunicator_of(comm_old);
        auto [ranks, neighbors] = detail::create_grid(
            old.state, checked_grid(old.state->size(), ndims, dims, periods), reorder != 0);
        return new_communicator(std::move(ranks), old, grid_topology(std::move(neighbors)));
    });
}

int cart_sub(MPI_Comm comm, const int* remain_dims, MPI_Comm* newcomm)
{
    return guard_result("MPI_Cart_sub", comm, newcomm, "newcomm", [&] {
        const Grid& grid = grid_of(comm);
        const std::span remain = checked_list(remain_dims, dimensions_of(grid), "remain_dims");
        const Communicator& old = communicator_of(comm);
        auto [ranks, neighbors] = detail::create_sub_grid(old.state, grid, {remain.begin(), remain.end()});
        return new_communicator(std::move(ranks), old, grid_topology(std::move(neighbors)));
    });
}

int cart_map(MPI_Comm comm, int ndims, const int* dims, const int* periods, int* newrank)
{
    return guard_result("MPI_Cart_map", comm, newrank, "newrank", [&] {
        const detail::CommunicatorState& state = *intracommunicator_of(comm).state;
        const int place = detail::place_in(checked_grid(state.size(), ndims, dims, periods), state, true);
        return place < 0 ? MPI_UNDEFINED : place;
    });
}

int cartdim_get(MPI_Comm comm, int* ndims)
{
    return guard_result("MPI_Cartdim_get", comm, ndims, "ndims",
                        [&] { return dimensions_of(grid_of(comm)); });
}

int cart_get(MPI_Comm comm, int maxdims, int* dims, int* periods, int* coords)
{
    return guard("MPI_Cart_get", comm, [&] {
        const Grid& grid = grid_of(comm);
        check_room(dims, maxdims, dimensions_of(grid), "dims");
        check_room(periods, maxdims, dimensions_of(grid), "periods");
        check_room(coords, maxdims, dimensions_of(grid), "coords");
        std::ranges::copy(grid.dims(), dims);
        std::ranges::copy(grid.periodic(), periods);
        std::ranges::copy(grid.coordinates(state_of(comm)->rank()), coords);
    });
}

int cart_coords(MPI_Comm comm, int rank, int maxdims, int* coords)
{
    return guard("MPI_Cart_coords", comm, [&] {
        const Grid& grid = grid_of(comm);
        check_rank(rank, grid.size(), "rank");
        check_room(coords, maxdims, dimensions_of(grid), "coords");
        std::ranges::copy(grid.coordinates(rank), coords);
    });
}

int cart_rank(MPI_Comm comm, const int* coords, int* rank)
{
    return guard_result("MPI_Cart_rank", comm, rank, "rank", [&] {
        const Grid& grid = grid_of(comm);
        const std::span at = checked_list(coords, dimensions_of(grid), "coords");
        const int found = grid.rank_at(at);
        if (found < 0)
            fail(MPI_ERR_ARG, fmt::format("the coordinates ({}) lie outside the grid of {}; only dimensions "
                                          "that are periodic have others than 0 to their size - 1",
                                          fmt::join(at, ", "), fmt::join(grid.dims(), " x ")));
        return found;
    });
}

int cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest)
{
    return guard("MPI_Cart_shift", comm, [&] {
        check_not_null(rank_source, "rank_source");
        check_not_null(rank_dest, "rank_dest");
        const Grid& grid = grid_of(comm);
        if (direction < 0 || direction >= dimensions_of(grid))
            fail(MPI_ERR_DIMS, fmt::format("the direction is {}, but the grid has {} dimensions, which are "
                                           "counted from 0",
                                           direction, dimensions_of(grid)));
        const auto at = [&](std::int64_t displacement) {
            const int rank =
                grid.shifted(state_of(comm)->rank(), static_cast<std::size_t>(direction), displacement);
            return rank < 0 ? MPI_PROC_NULL : rank;
        };
        *rank_source = at(-std::int64_t{disp});
        *rank_dest = at(disp);
    });
}

}  // namespace tutti::mpi
