// Persistent sends and receives.
#include <memory>
#include <optional>
#include <utility>

#include "lib/core/messages/messages.hpp"
#include "lib/core/requests/request_access.hpp"
#include "lib/mpi/buffer/attached_buffers.hpp"
#include "lib/mpi/communicator/communicator.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/message/message_checks.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/request/request.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using detail::SendMode;

/// Keeps the communicator and the buffer's layout.
template <class View>
struct MessageStarter : detail::Starter {
    MessageStarter(detail::StatePointer state, const View& view, int rank, int with_tag)
        : communicator(std::move(state)), buffer(view), layout(view.layout), peer(rank), tag(with_tag)
    {
    }

    const detail::StatePointer communicator;
    const View buffer;
    const datatype::TypemapRef layout;
    const int peer;
    const int tag;
};

/// None: the buffered mode.
using PersistentMode = std::optional<SendMode>;

struct Sender final : MessageStarter<detail::ConstView> {
    Sender(PersistentMode how, detail::StatePointer state, const detail::ConstView& view, int dest,
           int with_tag)
        : MessageStarter(std::move(state), view, dest, with_tag), mode(how)
    {
    }
    Request start() override
    {
        if (!mode) {
            send_buffered(*communicator, buffer, peer, tag);
            return {};
        }
        const auto lock = communicator->process().engine().lock();
        if (detail::send_at_once(*communicator, buffer, peer, tag, *mode))
            return {};
        detail::RequestState* const begun = detail::begin_send(*communicator, buffer, peer, tag, *mode);
        return begun != nullptr ? RequestAccess::active(*begun) : Request();
    }

    const PersistentMode mode;
};

struct Receiver final : MessageStarter<detail::View> {
    using MessageStarter::MessageStarter;

    Request start() override
    {
        const auto lock = communicator->process().engine().lock();
        return RequestAccess::active(detail::begin_receive(*communicator, buffer, peer, tag));
    }
};

int send_init_in(const char* call, PersistentMode mode, const void* buf, MPI_Count count,
                 MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request)
{
    return guard(call, comm, [&] {
        check_not_null(request, "request");
        const detail::StatePointer& state = state_of(comm);
        const detail::ConstView view = const_view_of(buf, count, datatype);
        *request = persistent_request(
            goes_to(*state, dest, tag) ? std::make_unique<Sender>(mode, state, view, dest, tag) : nullptr);
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
        return persistent_request(
            comes_from(*state, source, tag) ? std::make_unique<Receiver>(state, view, source, tag) : nullptr);
    });
}

}  // namespace tutti::mpi
