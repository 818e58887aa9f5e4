// Sends of all modes but the buffered one.
#include "lib/core/messages/messages.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/message/blocking_messages.hpp"
#include "lib/mpi/message/message_checks.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

using detail::SendMode;

namespace {

[[gnu::always_inline]] inline int begin_send_in(const char* call, SendMode mode, const void* buf,
                                                MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                                                MPI_Comm comm, MPI_Request* request)
{
    return guard_result(
        call, comm, request, "request", [&]() __attribute__((always_inline)) {
            const detail::CommunicatorState& state = *state_of(comm);
            const detail::ConstView view = const_view_of(buf, count, datatype);
            if (!goes_to(state, dest, tag)) [[unlikely]]
                return begun_request(nullptr);
            const auto lock = state.process().engine().lock();
            constexpr auto kDeparture = protocol::Departure::soon;
            const bool sent = detail::send_at_once(state, view, dest, tag, mode, kDeparture);
            return begun_request(sent ? nullptr
                                      : detail::begin_send(state, view, dest, tag, mode, kDeparture));
        });
}

}  // namespace

int send(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return inlined::send(buf, count, datatype, dest, tag, comm);
}

int ssend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return inlined::send_in("MPI_Ssend", SendMode::synchronous, buf, count, datatype, dest, tag, comm);
}

int rsend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return inlined::send_in("MPI_Rsend", SendMode::ready, buf, count, datatype, dest, tag, comm);
}

int isend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
          MPI_Request* request)
{
    return begin_send_in("MPI_Isend", SendMode::standard, buf, count, datatype, dest, tag, comm, request);
}

int issend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
           MPI_Request* request)
{
    return begin_send_in("MPI_Issend", SendMode::synchronous, buf, count, datatype, dest, tag, comm, request);
}

int irsend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
           MPI_Request* request)
{
    return begin_send_in("MPI_Irsend", SendMode::ready, buf, count, datatype, dest, tag, comm, request);
}

}  // namespace tutti::mpi
