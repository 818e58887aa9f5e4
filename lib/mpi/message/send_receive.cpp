// Sends together with receives.
#include <exception>
#include <memory>

#include "lib/core/messages/messages.hpp"
#include "lib/core/requests/request_end.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/message/message_checks.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/packed_copy.hpp"
#include "lib/mpi/object/status_form.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

using detail::CommunicatorState;
using detail::RequestState;

/// The two parts; false for MPI_PROC_NULL.
struct Sent {
    detail::ConstView view;
    int dest;
    int tag;
    bool happens;
    bool from_copy;  // the receive overwrites the data
};
struct Received {
    detail::View view;
    int source;
    int tag;
    bool happens;
};

// nullptr: the message was sent, or there is none. `copy` is what the operation keeps.
RequestState* begin_sent(const CommunicatorState& state, const Sent& sent, std::shared_ptr<std::byte[]>& copy)
{
    constexpr auto kMode = detail::SendMode::standard;
    if (!sent.happens || detail::send_at_once(state, sent.view, sent.dest, sent.tag, kMode))
        return nullptr;
    if (!sent.from_copy)
        return detail::begin_send(state, sent.view, sent.dest, sent.tag, kMode);
    copy = packed_copy(sent.view);
    return detail::begin_send(state, {copy.get(), sent.view.size_bytes, nullptr, sent.view.element},
                              sent.dest, sent.tag, kMode);
}

void exchange(const CommunicatorState& state, const Sent& sent, const Received& received, MPI_Status* status)
{
    auto lock = state.process().engine().lock();
    std::shared_ptr<std::byte[]> copy;
    RequestState* const leaving = begin_sent(state, sent, copy);
    MPI_Request request = begun_request(leaving);
    Status arrived;
    std::exception_ptr failure;
    if (received.happens)
        failure = detail::receive(lock, state, received.view, received.source, received.tag, arrived);
    if (leaving != nullptr)
        detail::wait(lock, *leaving);
    if (const Completed completed = take(lock, request); completed.failure && !failure)
        failure = completed.failure;
    fill(status, arrived);
    if (failure)
        std::rethrow_exception(failure);
}

/// A send and a receive under one handle, which is complete when both are.
struct Exchange final : MpiRequest {
    explicit Exchange(const CommunicatorState& state) noexcept : context(state.context())
    {
        owner = &state.process();
    }

    MPI_Comm communicator() const noexcept override { return communicator_with(context); }
    std::exception_ptr failure() override
    {
        const bool received_failed = arriving != nullptr && arriving->status.code != ErrorCode::success;
        return detail::failure_of(received_failed ? *arriving : *leaving);
    }
    void recycle() noexcept override
    {
        for (RequestState* const part : {leaving, arriving})
            if (part != nullptr)
                detail::recycle(*part);
        delete this;
    }

    // `kept`: memory that the part needs.
    void watch(RequestState* part, std::shared_ptr<std::byte[]> kept) noexcept
    {
        if (part == nullptr)
            return;
        detail::process_of(*part).engine().request_started();
        part->keep = std::shared_ptr<void>(std::move(kept), this);
        if (part->done)
            return;
        ++unfinished;
        part->on_finish = [](RequestState& ended) noexcept {
            auto& self = *static_cast<Exchange*>(ended.keep.get());
            if (--self.unfinished == 0)
                self.end();
        };
    }
    void end() noexcept
    {
        status = arriving != nullptr ? arriving->status : Status{};
        finish(status.code == ErrorCode::success && leaving != nullptr ? leaving->status.code : status.code);
    }

    const std::uint64_t context;
    RequestState* leaving = nullptr;
    RequestState* arriving = nullptr;
    int unfinished = 0;
};

MPI_Request begin_exchange(const CommunicatorState& state, const Sent& sent, const Received& received)
{
    auto both = std::unique_ptr<Exchange, void (*)(Exchange*)>(new Exchange(state),
                                                               [](Exchange* unused) { delete unused; });
    const auto lock = state.process().engine().lock();
    std::shared_ptr<std::byte[]> copy;
    RequestState* const leaving = begin_sent(state, sent, copy);
    try {
        if (received.happens)
            both->arriving = &detail::begin_receive(state, received.view, received.source, received.tag);
    } catch (...) {
        if (leaving != nullptr) {
            leaving->keep = std::move(copy);
            state.process().engine().request_started();
            let_go(*leaving);
        }
        throw;
    }
    both->leaving = leaving;
    both->watch(leaving, std::move(copy));
    both->watch(both->arriving, nullptr);
    if (both->unfinished == 0)
        both->end();
    return handle_of(*both.release());
}

}  // namespace

int sendrecv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
             void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
             MPI_Comm comm, MPI_Status* status)
{
    return guard("MPI_Sendrecv", comm, [&] {
        const CommunicatorState& state = *state_of(comm);
        const detail::ConstView out = const_view_of(sendbuf, sendcount, sendtype);
        const detail::View in = view_of(recvbuf, recvcount, recvtype);
        exchange(state, {out, dest, sendtag, goes_to(state, dest, sendtag), false},
                 {in, source, recvtag, comes_from(state, source, recvtag)}, status);
    });
}

int sendrecv_replace(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
                     int recvtag, MPI_Comm comm, MPI_Status* status)
{
    return guard("MPI_Sendrecv_replace", comm, [&] {
        const CommunicatorState& state = *state_of(comm);
        const detail::View view = view_of(buf, count, datatype);
        exchange(state, {view, dest, sendtag, goes_to(state, dest, sendtag), true},
                 {view, source, recvtag, comes_from(state, source, recvtag)}, status);
    });
}

int isendrecv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
              MPI_Comm comm, MPI_Request* request)
{
    return guard_result("MPI_Isendrecv", comm, request, "request", [&] {
        const CommunicatorState& state = *state_of(comm);
        const detail::ConstView out = const_view_of(sendbuf, sendcount, sendtype);
        const detail::View in = view_of(recvbuf, recvcount, recvtype);
        return begin_exchange(state, {out, dest, sendtag, goes_to(state, dest, sendtag), false},
                              {in, source, recvtag, comes_from(state, source, recvtag)});
    });
}

int isendrecv_replace(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
                      int recvtag, MPI_Comm comm, MPI_Request* request)
{
    return guard_result("MPI_Isendrecv_replace", comm, request, "request", [&] {
        const CommunicatorState& state = *state_of(comm);
        const detail::View view = view_of(buf, count, datatype);
        return begin_exchange(state, {view, dest, sendtag, goes_to(state, dest, sendtag), true},
                              {view, source, recvtag, comes_from(state, source, recvtag)});
    });
}

}  // namespace tutti::mpi
