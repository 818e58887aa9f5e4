#include "lib/mpi/attribute_hooks.hpp"

#include "lib/mpi/communicator.hpp"

namespace tutti::mpi {

int copy_attributes(const Communicator&, Communicator&)
{
    return MPI_SUCCESS;
}

int delete_attributes(Communicator&)
{
    return MPI_SUCCESS;
}

}  // namespace tutti::mpi
