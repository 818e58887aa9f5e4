// Allgather and allgatherv.
#include "lib/core/calls/intercommunicator_calls.hpp"
#include "lib/mpi/collective/collective_buffers.hpp"
#include "lib/mpi/collective/collective_call.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

using detail::BlockBuffers;
using detail::StatePointer;

int allgather(const CollectiveCall& call, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        const detail::View all = equal_blocks(recvbuf, recvcount, recvtype, ranks_of(*state));
        const BlockBuffers buffers = is_in_place(*state, sendbuf)
                                         ? in_place(all)
                                         : from_to(own_block(sendbuf, sendcount, sendtype), all);
        return is_inter(*state) ? detail::call_inter_allgather(state, call.form(), buffers)
                                : detail::call_allgather(state, call.form(), buffers, {});
    });
}

int allgatherv(const CollectiveCall& call, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
               void* recvbuf, Counts recvcounts, Counts displs, MPI_Datatype recvtype, MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        const BlockList all(recvbuf, recvcounts, displs, recvtype, ranks_of(*state));
        const BlockBuffers buffers = is_in_place(*state, sendbuf)
                                         ? in_place(all.view())
                                         : from_to(own_block(sendbuf, sendcount, sendtype), all.view());
        return is_inter(*state) ? detail::call_inter_allgatherv(state, call.form(), buffers, all.counts())
                                : detail::call_allgatherv(state, call.form(), buffers, all.counts(), {});
    });
}

}  // namespace tutti::mpi
