// Alltoall, alltoallv and alltoallw.
#include "lib/core/calls/intercommunicator_calls.hpp"
#include "lib/mpi/collective/collective_buffers.hpp"
#include "lib/mpi/collective/collective_call.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

using detail::BlockBuffers;
using detail::StatePointer;

int alltoall(const CollectiveCall& call, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
             void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        const std::size_t ranks = ranks_of(*state);
        const detail::View to = equal_blocks(recvbuf, recvcount, recvtype, ranks);
        const BlockBuffers buffers = is_in_place(*state, sendbuf)
                                         ? in_place(to)
                                         : from_to(equal_blocks(sendbuf, sendcount, sendtype, ranks), to);
        return is_inter(*state) ? detail::call_inter_alltoall(state, call.form(), buffers)
                                : detail::call_alltoall(state, call.form(), buffers, {});
    });
}

int alltoallv(const CollectiveCall& call, const void* sendbuf, Counts sendcounts, Counts sdispls,
              MPI_Datatype sendtype, void* recvbuf, Counts recvcounts, Counts rdispls, MPI_Datatype recvtype,
              MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        const std::size_t ranks = ranks_of(*state);
        const BlockList to(recvbuf, recvcounts, rdispls, recvtype, ranks);
        const bool is_one = is_in_place(*state, sendbuf);
        const BlockList from =
            is_one ? BlockList() : BlockList(sendbuf, sendcounts, sdispls, sendtype, ranks);
        const BlockBuffers buffers = is_one ? in_place(to.view()) : from_to(from.view(), to.view());
        return is_inter(*state)
                   ? detail::call_inter_alltoallv(state, call.form(), buffers, from.counts(), to.counts())
                   : detail::call_alltoallv(state, call.form(), buffers, from.counts(), to.counts(), {});
    });
}

int alltoallw(const CollectiveCall& call, const void* sendbuf, Counts sendcounts, Counts sdispls,
              const MPI_Datatype* sendtypes, void* recvbuf, Counts recvcounts, Counts rdispls,
              const MPI_Datatype* recvtypes, MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        const std::size_t ranks = ranks_of(*state);
        const auto to = typed_blocks(recvbuf, recvcounts, rdispls, recvtypes, ranks);
        std::vector<detail::TypedBlock> from;
        if (!is_in_place(*state, sendbuf))
            from = typed_blocks(sendbuf, sendcounts, sdispls, sendtypes, ranks);
        return is_inter(*state) ? detail::call_inter_alltoallw(state, call.form(), from, to)
                                : detail::call_alltoallw(state, call.form(), from, to);
    });
}

}  // namespace tutti::mpi
