// Lengths of arrays that have an entry for each rank or neighbour of the communicator. 0: the body will
// refuse the communicator, or does not read the array.
#pragma once

#include "lib/core/communicators/neighbor_topology.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/facade/convert.hpp"
#include "lib/mpi/topology/topology_object.hpp"

namespace tutti::mpi::facade {

inline int ranks_of(MPI_Comm comm)
{
    const Communicator* const found = find<Communicator>(comm);
    return found == nullptr ? 0 : static_cast<int>(found->state->peers().size());
}
inline int ranks_of(MPI_Comm comm, const void* sendbuf)
{
    return in_buffer(sendbuf) == MPI_IN_PLACE ? 0 : ranks_of(comm);
}

inline int sources_of(MPI_Comm comm)
{
    const Communicator* const found = find<Communicator>(comm);
    return found == nullptr || !found->topology
               ? 0
               : static_cast<int>(found->topology->neighbors->sources.size());
}
inline int destinations_of(MPI_Comm comm)
{
    const Communicator* const found = find<Communicator>(comm);
    return found == nullptr || !found->topology
               ? 0
               : static_cast<int>(found->topology->neighbors->destinations.size());
}

}  // namespace tutti::mpi::facade
