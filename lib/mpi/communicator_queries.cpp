// What a communicator tells.
#include "lib/mpi/communicator.hpp"
#include "lib/mpi/errors.hpp"
#include "lib/mpi/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

int comm_rank(MPI_Comm comm, int* rank)
{
    return guard("MPI_Comm_rank", comm, [&] {
        check_not_null(rank, "rank");
        *rank = state_of(comm)->rank();
    });
}

int comm_size(MPI_Comm comm, int* size)
{
    return guard("MPI_Comm_size", comm, [&] {
        check_not_null(size, "size");
        *size = state_of(comm)->size();
    });
}

}  // namespace tutti::mpi
