// Parts of arrays: subarrays, and what a rank has of an array that is distributed over a grid of ranks.
#include <string_view>
#include <vector>

#include "lib/foundation/datatype/build.hpp"
#include "lib/mpi/datatype/type_arguments.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using datatype::DistributedDimension;
using datatype::Distribution;
using datatype::Order;

Order order_of(int order)
{
    if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
        fail(MPI_ERR_ARG, fmt::format("the order is {}; it must be MPI_ORDER_C or MPI_ORDER_FORTRAN", order));
    return order == MPI_ORDER_C ? Order::c : Order::fortran;
}

std::size_t dimensions_of(int ndims)
{
    if (ndims < 1)
        fail(MPI_ERR_ARG, fmt::format("the array has {} dimensions; give at least one", ndims));
    return static_cast<std::size_t>(ndims);
}

std::size_t array_size(MPI_Count size, std::size_t dimension)
{
    if (size < 1)
        fail(MPI_ERR_ARG,
             fmt::format("dimension {} of the array has {} elements; give at least one", dimension, size));
    return static_cast<std::size_t>(size);
}

Distribution distribution_of(int distribution, std::size_t dimension)
{
    switch (distribution) {
        case MPI_DISTRIBUTE_NONE:
            return Distribution::none;
        case MPI_DISTRIBUTE_BLOCK:
            return Distribution::block;
        case MPI_DISTRIBUTE_CYCLIC:
            return Distribution::cyclic;
        default:
            fail(MPI_ERR_ARG,
                 fmt::format("the distribution of dimension {} is {}; it must be "
                             "MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC or MPI_DISTRIBUTE_NONE",
                             dimension, distribution));
    }
}

// The length of blocks; 0: the usual one.
std::size_t distributed_block(int argument, std::size_t dimension)
{
    if (argument == MPI_DISTRIBUTE_DFLT_DARG)
        return 0;
    if (argument < 1)
        fail(MPI_ERR_ARG, fmt::format("the blocks of dimension {} have {} elements; give at least one, or "
                                      "MPI_DISTRIBUTE_DFLT_DARG",
                                      dimension, argument));
    return static_cast<std::size_t>(argument);
}

std::size_t grid_size(int processes, std::size_t dimension)
{
    if (processes < 1)
        fail(MPI_ERR_ARG,
             fmt::format("dimension {} of the grid has {} ranks; give at least one", dimension, processes));
    return static_cast<std::size_t>(processes);
}

void check_grid(int size, int rank, const std::vector<DistributedDimension>& dimensions)
{
    if (size < 1 || rank < 0 || rank >= size)
        fail(MPI_ERR_ARG, fmt::format("rank {} of {} ranks is none; ranks count from 0", rank, size));
    const auto whole = static_cast<std::size_t>(size);
    std::size_t left = whole;
    for (const DistributedDimension& dimension : dimensions)
        left = left % dimension.processes == 0 ? left / dimension.processes : 0;
    if (left != 1)
        fail(MPI_ERR_ARG, fmt::format("the grid's sizes do not multiply to the {} ranks", size));
}

}  // namespace

int type_create_subarray(bool large, int ndims, Counts array_of_sizes, Counts array_of_subsizes,
                         Counts array_of_starts, int order, MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return guard_result("MPI_Type_create_subarray", newtype, "newtype", [&] {
        const std::size_t number = dimensions_of(ndims);
        check_entries("array_of_sizes", array_of_sizes, ndims);
        check_entries("array_of_subsizes", array_of_subsizes, ndims);
        check_entries("array_of_starts", array_of_starts, ndims);
        std::vector<datatype::Dimension> dimensions;
        for (std::size_t i = 0; i < number; ++i) {
            const std::size_t size = array_size(array_of_sizes[i], i);
            const MPI_Count taken = array_of_subsizes[i];
            const MPI_Count start = array_of_starts[i];
            if (taken < 1 || start < 0)
                fail(MPI_ERR_ARG,
                     fmt::format("the part has {} elements of dimension {}, from {} on; give at least one "
                                 "element, and count from 0",
                                 taken, i, start));
            dimensions.push_back({size, static_cast<std::size_t>(taken), static_cast<std::size_t>(start)});
        }
        const NewType made(MPI_COMBINER_SUBARRAY, large, oldtype);
        made->add_integers({ndims});
        for (const Counts& numbers : {array_of_sizes, array_of_subsizes, array_of_starts})
            for (std::size_t i = 0; i < number; ++i)
                made->add_count(numbers[i]);
        made->add_integers({order});
        return made.with(datatype::subarray(dimensions, order_of(order), made.of()));
    });
}

int type_create_darray(bool large, int size, int rank, int ndims, Counts array_of_gsizes,
                       const int* array_of_distribs, const int* array_of_dargs, const int* array_of_psizes,
                       int order, MPI_Datatype oldtype, MPI_Datatype* newtype)
{
    return guard_result("MPI_Type_create_darray", newtype, "newtype", [&] {
        const std::size_t number = dimensions_of(ndims);
        check_entries("array_of_gsizes", array_of_gsizes, ndims);
        check_not_null(array_of_distribs, "array_of_distribs");
        check_not_null(array_of_dargs, "array_of_dargs");
        check_not_null(array_of_psizes, "array_of_psizes");
        std::vector<DistributedDimension> dimensions;
        for (std::size_t i = 0; i < number; ++i) {
            const Distribution distribution = distribution_of(array_of_distribs[i], i);
            const bool undivided = distribution == Distribution::none;
            dimensions.push_back({array_size(array_of_gsizes[i], i), distribution,
                                  undivided ? 0 : distributed_block(array_of_dargs[i], i),
                                  grid_size(array_of_psizes[i], i)});
        }
        check_grid(size, rank, dimensions);
        const NewType made(MPI_COMBINER_DARRAY, large, oldtype);
        made->add_integers({size, rank, ndims});
        for (std::size_t i = 0; i < number; ++i)
            made->add_count(array_of_gsizes[i]);
        for (const int* const numbers : {array_of_distribs, array_of_dargs, array_of_psizes})
            for (std::size_t i = 0; i < number; ++i)
                made->add_integers({numbers[i]});
        made->add_integers({order});
        return made.with(datatype::distributed_array(dimensions, static_cast<std::size_t>(rank),
                                                     order_of(order), made.of()));
    });
}

}  // namespace tutti::mpi
