// The end of communicators.
#include "lib/core/communicators/intercommunicator.hpp"
#include "lib/mpi/buffer/attached_buffers.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/object/attributes.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

MPI_Comm handle_at(const MPI_Comm* place) noexcept
{
    return place != nullptr ? *place : MPI_COMM_NULL;
}

Communicator& freed_by_program(MPI_Comm* comm)
{
    check_not_null(comm, "comm");
    Communicator& freed = communicator_of(*comm);
    if (is_predefined(freed))
        fail(MPI_ERR_COMM, "it is predefined, and lives as long as MPI");
    return freed;
}

// Operations that are under way have what they need of it.
int free_it(const char* call, Communicator& freed, MPI_Comm* comm)
{
    if (const int code = delete_attributes(freed); code != MPI_SUCCESS)
        return hand_over(call, *comm, code);
    if (const int code = end_buffer_of(call, *freed.state); code != MPI_SUCCESS)
        return code;
    *comm = MPI_COMM_NULL;
    freed.free_handle();
    return MPI_SUCCESS;
}

}  // namespace

int comm_free(MPI_Comm* comm)
{
    return guard("MPI_Comm_free", handle_at(comm),
                 [&] { return free_it("MPI_Comm_free", freed_by_program(comm), comm); });
}

int comm_disconnect(MPI_Comm* comm)
{
    return guard("MPI_Comm_disconnect", handle_at(comm), [&] {
        Communicator& freed = freed_by_program(comm);
        // All ranks have then made their last calls on it.
        detail::call_barrier(detail::all_ranks(freed.state), detail::Form::blocking, {});
        return free_it("MPI_Comm_disconnect", freed, comm);
    });
}

}  // namespace tutti::mpi
