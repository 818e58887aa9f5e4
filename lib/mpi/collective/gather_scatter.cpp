// Gather, gatherv, scatter and scatterv. A rank's block is `own`, and the root's blocks of all ranks `whole`.
#include "lib/core/calls/intercommunicator_calls.hpp"
#include "lib/mpi/collective/collective_buffers.hpp"
#include "lib/mpi/collective/collective_call.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

using detail::BlockBuffers;
using detail::ConstView;
using detail::StatePointer;
using detail::View;

int gather(const CollectiveCall& call, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
           void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        const Root to(*state, root);
        const View whole =
            to.has_whole ? equal_blocks(recvbuf, recvcount, recvtype, ranks_of(*state)) : View{};
        const BlockBuffers buffers =
            to.has_whole && is_in_place(*state, sendbuf)
                ? in_place(whole)
                : from_to(to.has_own ? own_block(sendbuf, sendcount, sendtype) : ConstView{}, whole);
        return is_inter(*state) ? detail::call_inter_gather(state, call.form(), buffers, to.rank)
                                : detail::call_gather(state, call.form(), buffers, {.root = root});
    });
}

int gatherv(const CollectiveCall& call, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
            void* recvbuf, Counts recvcounts, Counts displs, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        const Root to(*state, root);
        const BlockList whole =
            to.has_whole ? BlockList(recvbuf, recvcounts, displs, recvtype, ranks_of(*state)) : BlockList();
        const BlockBuffers buffers =
            to.has_whole && is_in_place(*state, sendbuf)
                ? in_place(whole.view())
                : from_to(to.has_own ? own_block(sendbuf, sendcount, sendtype) : ConstView{}, whole.view());
        return is_inter(*state)
                   ? detail::call_inter_gatherv(state, call.form(), buffers, whole.counts(), to.rank)
                   : detail::call_gatherv(state, call.form(), buffers, whole.counts(), {.root = root});
    });
}

int scatter(const CollectiveCall& call, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
            void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        const Root from(*state, root);
        const View whole =
            from.has_whole ? equal_blocks(sendbuf, sendcount, sendtype, ranks_of(*state)) : View{};
        const BlockBuffers buffers =
            from.has_whole && is_in_place(*state, recvbuf)
                ? in_place(whole)
                : from_to(whole, from.has_own ? own_block(recvbuf, recvcount, recvtype) : View{});
        return is_inter(*state) ? detail::call_inter_scatter(state, call.form(), buffers, from.rank)
                                : detail::call_scatter(state, call.form(), buffers, {.root = root});
    });
}

int scatterv(const CollectiveCall& call, const void* sendbuf, Counts sendcounts, Counts displs,
             MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
             MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        const Root from(*state, root);
        const BlockList whole =
            from.has_whole ? BlockList(sendbuf, sendcounts, displs, sendtype, ranks_of(*state)) : BlockList();
        const BlockBuffers buffers =
            from.has_whole && is_in_place(*state, recvbuf)
                ? in_place(whole.view())
                : from_to(whole.view(), from.has_own ? own_block(recvbuf, recvcount, recvtype) : View{});
        return is_inter(*state)
                   ? detail::call_inter_scatterv(state, call.form(), buffers, whole.counts(), from.rank)
                   : detail::call_scatterv(state, call.form(), buffers, whole.counts(), {.root = root});
    });
}

}  // namespace tutti::mpi
