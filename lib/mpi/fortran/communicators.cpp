#include "lib/mpi/fortran/communicators.hpp"

#include "lib/mpi/abi/fortran_library.hpp"

namespace tutti::mpi::fortran {

// What is wrong with the communicator is found by the call itself, which these only prepare: they ask MPI
// about none that is no communicator, as MPI would report that as an error of the question.

int peers(MPI_Comm comm, Direction)
{
    int is_intercommunicator = 0;
    int count = 0;
    if (!is_fortran_communicator(comm) || PMPI_Comm_test_inter(comm, &is_intercommunicator) != MPI_SUCCESS)
        return 0;
    const int code =
        is_intercommunicator != 0 ? PMPI_Comm_remote_size(comm, &count) : PMPI_Comm_size(comm, &count);
    return code == MPI_SUCCESS ? count : 0;
}

int dimensions(MPI_Comm comm)
{
    int topology = MPI_UNDEFINED;
    int count = 0;
    if (!is_fortran_communicator(comm) || PMPI_Topo_test(comm, &topology) != MPI_SUCCESS ||
        topology != MPI_CART)
        return 0;
    return PMPI_Cartdim_get(comm, &count) == MPI_SUCCESS ? count : 0;
}

int neighbors(MPI_Comm comm, Direction direction)
{
    int topology = MPI_UNDEFINED;
    if (!is_fortran_communicator(comm) || PMPI_Topo_test(comm, &topology) != MPI_SUCCESS)
        return 0;
    int count = 0;
    if (topology == MPI_CART)
        return 2 * dimensions(comm);
    if (topology == MPI_GRAPH) {
        int rank = 0;
        PMPI_Comm_rank(comm, &rank);
        return PMPI_Graph_neighbors_count(comm, rank, &count) == MPI_SUCCESS ? count : 0;
    }
    int outgoing = 0;
    int is_weighted = 0;
    if (topology != MPI_DIST_GRAPH ||
        PMPI_Dist_graph_neighbors_count(comm, &count, &outgoing, &is_weighted) != MPI_SUCCESS)
        return 0;
    return direction == Direction::incoming ? count : outgoing;
}

}  // namespace tutti::mpi::fortran
