// Probes, and receives of the messages that matched probes took.
#include <fmt/format.h>

#include "lib/core/messages/probe.hpp"
#include "lib/core/process/process.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/message/message_checks.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/status_form.hpp"
#include "lib/mpi/request/request_object.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

/// Nothing is behind the predefined handles: MPI_MESSAGE_NULL and MPI_MESSAGE_NO_PROC.
struct MatchedMessage final : ObjectOf<MatchedMessage> {
    using Handle = MPI_Message;
    static constexpr std::uintptr_t kFirst = 0x128;
    static constexpr std::size_t kPredefined = 8;
    static constexpr Kind kKind = Kind::message;
    static constexpr Predefined<MatchedMessage, kPredefined> predefined{};

    MatchedMessage(detail::StatePointer state, protocol::UnexpectedRequest& found) noexcept
        : communicator(std::move(state)), message(found)
    {
    }

    const detail::StatePointer communicator;
    protocol::UnexpectedRequest& message;
};

// The frame of all probes, which programs call in loops. `flag` is nullptr for those that wait, `message` for
// those that leave the message.
[[gnu::always_inline]] inline void probe_in(std::string_view operation, int source, int tag, MPI_Comm comm,
                                            int* flag, MPI_Message* message, MPI_Status* status)
{
    const detail::StatePointer& state = state_of(comm);
    if (flag != nullptr)
        *flag = 1;
    if (!comes_from(*state, source, tag)) {
        if (message != nullptr)
            *message = MPI_MESSAGE_NO_PROC;
        return fill(status, Status{});
    }
    auto lock = state->process().engine().lock();
    protocol::UnexpectedRequest* const found =
        flag != nullptr ? detail::look_for_message(lock, *state, operation, source, tag)
                        : &detail::wait_for_message(lock, *state, operation, source, tag);
    if (found == nullptr) {
        *flag = 0;
        return;
    }
    if (message != nullptr) {
        *message = handle_of(*new MatchedMessage(state, *found));
        state->process().protocol().extract(*found);
    }
    fill(status, detail::status_of(*state, *found));
}

// nullptr for MPI_MESSAGE_NO_PROC.
MatchedMessage* message_of(MPI_Message handle)
{
    MatchedMessage* const found = find<MatchedMessage>(handle);
    if (handle == MPI_MESSAGE_NULL)
        fail(MPI_ERR_REQUEST, "the message is MPI_MESSAGE_NULL: none was probed, or it has been received");
    if (found == nullptr && handle != MPI_MESSAGE_NO_PROC)
        fail(MPI_ERR_REQUEST,
             fmt::format("{} is no message of a matched probe, or one that has been received",
                         fmt::ptr(handle)));
    return found;
}

// The communicator whose error handler takes the errors of the message's receive.
MPI_Comm communicator_of_message(const MPI_Message* message) noexcept
{
    const MatchedMessage* const found = message == nullptr ? nullptr : find<MatchedMessage>(*message);
    return found == nullptr ? MPI_COMM_NULL : communicator_with(found->communicator->context());
}

// The message is received from now on. Under the lock.
detail::RequestState& begin_receive_of(MatchedMessage& matched, const detail::View& view,
                                       MPI_Message* message)
{
    detail::RequestState& begun = detail::begin_receive_matched(*matched.communicator, view, matched.message);
    matched.free_handle();
    *message = MPI_MESSAGE_NULL;
    return begun;
}

}  // namespace

int probe(int source, int tag, MPI_Comm comm, MPI_Status* status)
{
    return guard("MPI_Probe", comm, [&] { probe_in("probe", source, tag, comm, nullptr, nullptr, status); });
}

int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status)
{
    return guard("MPI_Iprobe", comm, [&] {
        check_not_null(flag, "flag");
        probe_in("iprobe", source, tag, comm, flag, nullptr, status);
    });
}

int mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status)
{
    return guard("MPI_Mprobe", comm, [&] {
        check_not_null(message, "message");
        probe_in("mprobe", source, tag, comm, nullptr, message, status);
    });
}

int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status)
{
    return guard("MPI_Improbe", comm, [&] {
        check_not_null(flag, "flag");
        check_not_null(message, "message");
        probe_in("improbe", source, tag, comm, flag, message, status);
    });
}

int mrecv(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status)
{
    return guard("MPI_Mrecv", communicator_of_message(message), [&] {
        check_not_null(message, "message");
        const detail::View view = view_of(buf, count, datatype);
        MatchedMessage* const matched = message_of(*message);
        if (matched == nullptr) {
            *message = MPI_MESSAGE_NULL;
            fill(status, Status{});
            return MPI_SUCCESS;
        }
        auto lock = matched->communicator->process().engine().lock();
        detail::RequestState& begun = begin_receive_of(*matched, view, message);
        MPI_Request request = begun_request(&begun);
        detail::wait(lock, begun);
        const Completed completed = take(lock, request);
        lock.unlock();
        return finish("MPI_Mrecv", completed, status);
    });
}

int imrecv(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request)
{
    return guard("MPI_Imrecv", communicator_of_message(message), [&] {
        check_not_null(message, "message");
        check_not_null(request, "request");
        const detail::View view = view_of(buf, count, datatype);
        MatchedMessage* const matched = message_of(*message);
        if (matched == nullptr) {
            *message = MPI_MESSAGE_NULL;
            *request = begun_request(nullptr);
            return;
        }
        const auto lock = matched->communicator->process().engine().lock();
        *request = begun_request(&begin_receive_of(*matched, view, message));
    });
}

}  // namespace tutti::mpi
