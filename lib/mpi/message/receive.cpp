// Receives.
#include "lib/core/messages/messages.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/message/blocking_messages.hpp"
#include "lib/mpi/message/message_checks.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

using detail::CommunicatorState;

int recv(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
         MPI_Status* status)
{
    return inlined::recv(buf, count, datatype, source, tag, comm, status);
}

int irecv(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
          MPI_Request* request)
{
    return guard_result(
        "MPI_Irecv", comm, request, "request", [&]() __attribute__((always_inline)) {
            const CommunicatorState& state = *state_of(comm);
            const detail::View view = view_of(buf, count, datatype);
            if (!comes_from(state, source, tag)) [[unlikely]]
                return begun_request(nullptr);
            const auto lock = state.process().engine().lock();
            return begun_request(&detail::begin_receive(state, view, source, tag));
        });
}

}  // namespace tutti::mpi
