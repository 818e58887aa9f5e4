// Barrier and broadcast.
#include "lib/core/calls/intercommunicator_calls.hpp"
#include "lib/mpi/collective/collective_buffers.hpp"
#include "lib/mpi/collective/collective_call.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

using detail::StatePointer;

int barrier(const CollectiveCall& call, MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        return detail::call_barrier(detail::all_ranks(state), call.form(), {});
    });
}

int bcast(const CollectiveCall& call, void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
          MPI_Comm comm)
{
    return call.on(comm, [&](const StatePointer& state) {
        const Root from(*state, root);
        const detail::View view =
            from.has_own || from.has_whole ? own_block(buffer, count, datatype) : detail::View{};
        return is_inter(*state) ? detail::call_inter_broadcast(state, call.form(), in_place(view), from.rank)
                                : detail::call_broadcast(state, call.form(), in_place(view), {.root = root});
    });
}

}  // namespace tutti::mpi
