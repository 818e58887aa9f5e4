// Persistent sends and receives.
#include <memory>
#include <optional>
#include <utility>

#include "lib/core/messages/messages.hpp"
#include "lib/core/requests/function_starter.hpp"
#include "lib/core/requests/lend.hpp"
#include "lib/core/requests/request_access.hpp"
#include "lib/mpi/buffer/attached_buffers.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/message/message_checks.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using detail::SendMode;

/// None: the buffered mode.
using PersistentMode = std::optional<SendMode>;

// What a start does. The communicator and the buffer's layout stay with it.

Request start_send(const detail::CommunicatorState& state, PersistentMode mode, const detail::ConstView& view,
                   int dest, int tag)
{
    if (!mode) {
        send_buffered(state, view, dest, tag);
        return {};
    }
    const auto lock = state.process().engine().lock();
    constexpr auto kDeparture = protocol::Departure::soon;
    if (detail::send_at_once(state, view, dest, tag, *mode, kDeparture))
        return {};
    detail::RequestState* const begun = detail::begin_send(state, view, dest, tag, *mode, kDeparture);
    return begun != nullptr ? RequestAccess::active(*begun) : Request();
}

// The request whose starts use this buffer.
MPI_Request persistent_message(const detail::CommunicatorState& state, const detail::ConstView& view,
                               std::unique_ptr<detail::Starter> starter)
{
    return persistent_request(
        detail::lend(state.process(), detail::CallHandle(std::move(starter)), {&view, 1}).starter());
}

int send_init_in(const char* call, PersistentMode mode, const void* buf, MPI_Count count,
                 MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)
{
    return guard_result(call, comm, request, "request", [&] {
        const detail::StatePointer& state = state_of(comm);
        const detail::ConstView view = const_view_of(buf, count, datatype);
        if (!goes_to(*state, dest, tag))
            return persistent_request(nullptr);
        return persistent_message(
            *state, view,
            detail::starter_of([state, view, layout = datatype::TypemapRef(view.layout), mode, dest, tag] {
                return start_send(*state, mode, view, dest, tag);
            }));
    });
}

}  // namespace

int send_init(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request)
{
    return send_init_in("MPI_Send_init", SendMode::standard, buf, count, datatype, dest, tag, comm, request);
}

int bsend_init(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request)
{
    return send_init_in("MPI_Bsend_init", std::nullopt, buf, count, datatype, dest, tag, comm, request);
}

int ssend_init(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request)
{
    return send_init_in("MPI_Ssend_init", SendMode::synchronous, buf, count, datatype, dest, tag, comm,
                        request);
}

int rsend_init(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request)
{
    return send_init_in("MPI_Rsend_init", SendMode::ready, buf, count, datatype, dest, tag, comm, request);
}

int recv_init(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Request* request)
{
    return guard_result("MPI_Recv_init", comm, request, "request", [&] {
        const detail::StatePointer& state = state_of(comm);
        const detail::View view = view_of(buf, count, datatype);
        if (!comes_from(*state, source, tag))
            return persistent_request(nullptr);
        return persistent_message(
            *state, view,
            detail::starter_of([state, view, layout = datatype::TypemapRef(view.layout), source, tag] {
                const auto lock = state->process().engine().lock();
                return RequestAccess::active(detail::begin_receive(*state, view, source, tag));
            }));
    });
}

}  // namespace tutti::mpi
