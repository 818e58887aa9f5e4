#include "lib/mpi/topology/topology_object.hpp"

#include <fmt/format.h>

#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

std::string_view words_of_kind(int kind) noexcept
{
    return kind == MPI_CART    ? "a grid (MPI_Cart_create)"
           : kind == MPI_GRAPH ? "a graph (MPI_Graph_create)"
                               : "a distributed graph (MPI_Dist_graph_create)";
}

}  // namespace

const Topology& topology_of(const Communicator& communicator)
{
    if (communicator.topology == nullptr)
        fail(MPI_ERR_TOPOLOGY,
             "the communicator has no topology; create one with MPI_Cart_create, MPI_Graph_create or "
             "MPI_Dist_graph_create");
    return *communicator.topology;
}

const Topology& topology_of(MPI_Comm comm, int kind)
{
    const Topology& found = topology_of(communicator_of(comm));
    if (found.kind != kind)
        fail(MPI_ERR_TOPOLOGY, fmt::format("the communicator's topology is {}, but the call is for {}",
                                           words_of_kind(found.kind), words_of_kind(kind)));
    return found;
}

std::span<const int> checked_list(const int* values, int count, std::string_view name)
{
    check_array(name, values, count);
    return {values, static_cast<std::size_t>(count)};
}

void check_room(const void* values, int room, int needed, std::string_view name)
{
    if (room < needed)
        fail(MPI_ERR_ARG,
             fmt::format("{} has room for {} values, but there are {}; make it larger", name, room, needed));
    if (needed > 0)
        check_not_null(values, name);
}

int topo_test(MPI_Comm comm, int* status)
{
    return guard_result("MPI_Topo_test", comm, status, "status", [&] {
        const Communicator& communicator = communicator_of(comm);
        return communicator.topology == nullptr ? MPI_UNDEFINED : communicator.topology->kind;
    });
}

}  // namespace tutti::mpi
