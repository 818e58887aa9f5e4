#include "lib/mpi/persistent.hpp"

#include <utility>

#include "lib/core/messages/messages.hpp"
#include "lib/core/requests/request_access.hpp"
#include "lib/mpi/communicator.hpp"
#include "lib/mpi/datatype.hpp"
#include "lib/mpi/errors.hpp"
#include "lib/mpi/guard.hpp"
#include "lib/mpi/handle_check.hpp"
#include "lib/mpi/message_checks.hpp"
#include "lib/mpi/request.hpp"
#include "lib/mpi/results.hpp"
#include "lib/mpi/runtime.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using detail::SendMode;

struct Persistent final : FaceRequest {
    explicit Persistent(std::unique_ptr<detail::Starter> given) noexcept : starter(std::move(given))
    {
        owner = &Runtime::process();
        note_persistent(this);
    }

    detail::RequestState* operation() noexcept override { return active; }
    bool outlives_operation() noexcept override
    {
        active = nullptr;
        return true;
    }
    int let_go(progress::Engine::Lock&) override
    {
        if (active != nullptr)
            mpi::let_go(*active);
        delete this;
        return MPI_SUCCESS;
    }
    std::exception_ptr failure() override { return nullptr; }
    void recycle() noexcept override { delete this; }

    void start()
    {
        Request begun = starter != nullptr ? starter->start() : Request();
        active = begun.active() ? RequestAccess::release(begun) : &done_operation();
    }

    std::unique_ptr<detail::Starter> starter;
    detail::RequestState* active = nullptr;
};

struct Sender final : detail::Starter {
    Sender(detail::StatePointer state, const detail::ConstView& view, int to, int with_tag, SendMode how)
        : communicator(std::move(state)),
          buffer(view),
          layout(view.layout),
          dest(to),
          tag(with_tag),
          mode(how)
    {
    }
    Request start() override
    {
        const auto lock = communicator->process().engine().lock();
        if (detail::send_at_once(*communicator, buffer, dest, tag, mode))
            return {};
        detail::RequestState* const begun = detail::begin_send(*communicator, buffer, dest, tag, mode);
        return begun != nullptr ? RequestAccess::active(*begun) : Request();
    }

    detail::StatePointer communicator;
    detail::ConstView buffer;
    datatype::TypemapRef layout;  // the buffer's
    int dest;
    int tag;
    SendMode mode;
};

struct Receiver final : detail::Starter {
    Receiver(detail::StatePointer state, const detail::View& view, int from, int with_tag)
        : communicator(std::move(state)), buffer(view), layout(view.layout), source(from), tag(with_tag)
    {
    }
    Request start() override
    {
        const auto lock = communicator->process().engine().lock();
        return RequestAccess::active(detail::begin_receive(*communicator, buffer, source, tag));
    }

    detail::StatePointer communicator;
    detail::View buffer;
    datatype::TypemapRef layout;  // the buffer's
    int source;
    int tag;
};

int send_init_in(const char* call, SendMode mode, const void* buf, MPI_Count count, MPI_Datatype datatype,
                 int dest, int tag, MPI_Comm comm, MPI_Request* request)
{
    return guard(call, comm, [&] {
        check_not_null(request, "request");
        const detail::StatePointer& state = state_of(comm);
        const detail::ConstView view = const_view_of(buf, count, datatype);
        *request = goes_to(*state, dest, tag)
                       ? persistent_request(std::make_unique<Sender>(state, view, dest, tag, mode))
                       : persistent_request(nullptr);
    });
}

Persistent& startable(MPI_Request handle)
{
    if (handle == MPI_REQUEST_NULL)
        fail(MPI_ERR_REQUEST, "the request is MPI_REQUEST_NULL; create a persistent one first");
    const bool is_active = state_of(handle) != nullptr;
    auto* const persistent = dynamic_cast<Persistent*>(face_request(handle));
    if (persistent == nullptr)
        fail(MPI_ERR_REQUEST, "the request is not persistent; only such requests are started");
    if (is_active)
        fail(MPI_ERR_REQUEST, "the request's last start is still under way; wait for it first");
    return *persistent;
}

}  // namespace

MPI_Request persistent_request(std::unique_ptr<detail::Starter> starter)
{
    return handle_of(*new Persistent(std::move(starter)));
}

int send_init(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request)
{
    return send_init_in("MPI_Send_init", SendMode::standard, buf, count, datatype, dest, tag, comm, request);
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
    return guard("MPI_Recv_init", comm, [&] {
        check_not_null(request, "request");
        const detail::StatePointer& state = state_of(comm);
        const detail::View view = view_of(buf, count, datatype);
        *request = comes_from(*state, source, tag)
                       ? persistent_request(std::make_unique<Receiver>(state, view, source, tag))
                       : persistent_request(nullptr);
    });
}

int start(MPI_Request* request)
{
    return guard("MPI_Start", [&] {
        check_not_null(request, "request");
        startable(*request).start();
    });
}

int startall(int count, MPI_Request* requests)
{
    return guard("MPI_Startall", [&] {
        check_requests(count, requests);
        for (int i = 0; i < count; ++i)
            startable(requests[i]).start();
    });
}

}  // namespace tutti::mpi
