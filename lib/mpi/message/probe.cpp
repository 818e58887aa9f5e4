// Probes.
#include "lib/core/messages/probe.hpp"

#include "lib/core/job/process.hpp"
#include "lib/mpi/communicator/communicator.hpp"
#include "lib/mpi/message/message_checks.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/status.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

int probe(int source, int tag, MPI_Comm comm, MPI_Status* status)
{
    return guard("MPI_Probe", comm, [&] {
        const detail::CommunicatorState& state = *state_of(comm);
        if (!comes_from(state, source, tag))
            return fill(status, Status{});
        auto lock = state.process().engine().lock();
        fill(status, detail::status_of(state, detail::wait_for_message(lock, state, "probe", source, tag)));
    });
}

int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status)
{
    return guard("MPI_Iprobe", comm, [&] {
        check_not_null(flag, "flag");
        const detail::CommunicatorState& state = *state_of(comm);
        *flag = 1;
        if (!comes_from(state, source, tag))
            return fill(status, Status{});
        auto lock = state.process().engine().lock();
        const auto* const found = detail::look_for_message(lock, state, "iprobe", source, tag);
        if (found != nullptr)
            fill(status, detail::status_of(state, *found));
        else
            *flag = 0;
    });
}

}  // namespace tutti::mpi
