// The bodies of blocking sends and receives. Facades have them within their functions: what a call costs
// besides is a large part of a short message there.
#pragma once

#include <exception>

#include "lib/core/messages/messages.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/datatype/datatype.hpp"
#include "lib/mpi/message/message_checks.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/status_form.hpp"

namespace tutti::mpi::inlined {

[[gnu::always_inline]] inline int send_in(const char* call, detail::SendMode mode, const void* buf,
                                          MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                                          MPI_Comm comm)
{
    return guard(
        call, comm, [&]() __attribute__((always_inline)) {
            const detail::CommunicatorState& state = *state_of(comm);
            const detail::ConstView view = const_view_of(buf, count, datatype);
            if (!goes_to(state, dest, tag)) [[unlikely]]
                return;
            auto lock = state.process().engine().lock();
            if (detail::send_at_once(state, view, dest, tag, mode)) [[likely]]
                return;
            if (const auto failure = detail::send(lock, state, view, dest, tag, mode)) [[unlikely]]
                std::rethrow_exception(failure);
        });
}

[[gnu::always_inline]] inline int send(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                       int tag, MPI_Comm comm)
{
    return send_in("MPI_Send", detail::SendMode::standard, buf, count, datatype, dest, tag, comm);
}

[[gnu::always_inline]] inline int recv(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                                       MPI_Comm comm, MPI_Status* status)
{
    return guard(
        "MPI_Recv", comm, [&]() __attribute__((always_inline)) {
            const detail::CommunicatorState& state = *state_of(comm);
            const detail::View view = view_of(buf, count, datatype);
            Status received;
            if (comes_from(state, source, tag)) [[likely]] {
                auto lock = state.process().engine().lock();
                const auto failure = detail::receive(lock, state, view, source, tag, received);
                if (failure) [[unlikely]] {
                    fill(status, received);
                    std::rethrow_exception(failure);
                }
            }
            fill(status, received);
        });
}

}  // namespace tutti::mpi::inlined
