// Buffered sends, and the buffers that programs attach for them.
#include "lib/mpi/buffer/attached_buffers.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/message/message_checks.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

BufferOwner owner_of(MPI_Comm comm)
{
    return state_of(comm)->context();
}

void bsend_in(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    const detail::CommunicatorState& state = *state_of(comm);
    const detail::ConstView view = const_view_of(buf, count, datatype);
    if (goes_to(state, dest, tag))
        send_buffered(state, view, dest, tag);
}

}  // namespace

int bsend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return guard("MPI_Bsend", comm, [&] { bsend_in(buf, count, datatype, dest, tag, comm); });
}

int ibsend(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
           MPI_Request* request)
{
    return guard_result("MPI_Ibsend", comm, request, "request", [&] {
        bsend_in(buf, count, datatype, dest, tag, comm);
        return begun_request(nullptr);
    });
}

int buffer_attach(void* buffer, MPI_Count size)
{
    return guard("MPI_Buffer_attach", [&] { attach_buffer({}, buffer, size); });
}

int buffer_detach(void* buffer_addr, CountPlace size)
{
    return guard("MPI_Buffer_detach",
                 [&] { return detach_buffer("MPI_Buffer_detach", {}, buffer_addr, size); });
}

int buffer_flush()
{
    return guard("MPI_Buffer_flush", [] { return flush_buffer("MPI_Buffer_flush", {}); });
}

int buffer_iflush(MPI_Request* request)
{
    return guard_result("MPI_Buffer_iflush", request, "request", [&] { return begin_flush({}); });
}

int comm_attach_buffer(MPI_Comm comm, void* buffer, MPI_Count size)
{
    return guard("MPI_Comm_attach_buffer", comm, [&] { attach_buffer(owner_of(comm), buffer, size); });
}

int comm_detach_buffer(MPI_Comm comm, void* buffer_addr, CountPlace size)
{
    return guard("MPI_Comm_detach_buffer", comm,
                 [&] { return detach_buffer("MPI_Comm_detach_buffer", owner_of(comm), buffer_addr, size); });
}

int comm_flush_buffer(MPI_Comm comm)
{
    return guard("MPI_Comm_flush_buffer", comm,
                 [&] { return flush_buffer("MPI_Comm_flush_buffer", owner_of(comm)); });
}

int comm_iflush_buffer(MPI_Comm comm, MPI_Request* request)
{
    return guard_result("MPI_Comm_iflush_buffer", comm, request, "request",
                        [&] { return begin_flush(owner_of(comm)); });
}

}  // namespace tutti::mpi
