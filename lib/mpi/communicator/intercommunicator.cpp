// Intercommunicators: made of two groups, and merged into one.
#include "lib/core/communicators/intercommunicator.hpp"

#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/communicator/creation_tags.hpp"
#include "lib/mpi/group/group_object.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

int comm_test_inter(MPI_Comm comm, int* flag)
{
    return guard_result("MPI_Comm_test_inter", comm, flag, "flag", [&] {
        return ask(comm,
                   [](const detail::CommunicatorState& state) { return state.both() != nullptr ? 1 : 0; });
    });
}

int comm_remote_size(MPI_Comm comm, int* size)
{
    return guard_result("MPI_Comm_remote_size", comm, size, "size",
                        [&] { return static_cast<int>(intercommunicator_of(comm).state->peers().size()); });
}

int comm_remote_group(MPI_Comm comm, MPI_Group* group)
{
    return guard_result("MPI_Comm_remote_group", comm, group, "group",
                        [&] { return new_group(intercommunicator_of(comm).state->remote()); });
}

int intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                     MPI_Comm* newintercomm)
{
    return guard_result("MPI_Intercomm_create", local_comm, newintercomm, "newintercomm", [&] {
        const Ref<Communicator> local(&intracommunicator_of(local_comm));
        const detail::CommunicatorState& state = *local->state;
        check_rank(local_leader, state.size(), "the local leader", " of the communicator");
        // Only the leader's other arguments count.
        const bool leads = state.rank() == local_leader;
        const detail::StatePointer peer = leads ? intracommunicator_of(peer_comm).state : nullptr;
        const int number = leads ? creation_tag(tag) : 0;
        return new_communicator(
            detail::create_intercommunicator(local->state, local_leader, peer, remote_leader, number),
            *local);
    });
}

int intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm)
{
    return guard_result("MPI_Intercomm_merge", intercomm, newintracomm, "newintracomm", [&] {
        const Ref<Communicator> old(&intercommunicator_of(intercomm));
        return new_communicator(detail::merge(old->state, high != 0), *old);
    });
}

}  // namespace tutti::mpi
