// Communicators of the ranks of a group.
#include <fmt/format.h>

#include <vector>

#include "lib/core/communicators/creation.hpp"
#include "lib/core/job/process.hpp"
#include "lib/mpi/communicator/communicator.hpp"
#include "lib/mpi/communicator/creation_tags.hpp"
#include "lib/mpi/group/group.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

// The group's ranks as ranks of the communicator's own group.
std::vector<int> ranks_in(const detail::CommunicatorState& state, const Group& group)
{
    const Group all(state.members());
    std::vector<int> ranks;
    for (const int job_rank : *group.members) {
        const int rank = all.rank_of(job_rank);
        if (rank == MPI_UNDEFINED)
            fail(MPI_ERR_GROUP,
                 fmt::format("rank {} of the job is in the group, but not in the communicator; "
                             "give a group of its ranks",
                             job_rank));
        ranks.push_back(rank);
    }
    return ranks;
}

}  // namespace

int comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm)
{
    return guard_result("MPI_Comm_create", comm, newcomm, "newcomm", [&] {
        const Ref<Communicator> old(&communicator_of(comm));
        const std::vector<int> ranks = ranks_in(*old->state, group_of(group));
        return new_communicator(detail::create(old->state, ranks), *old);
    });
}

int comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm)
{
    return guard("MPI_Comm_create_group", comm, [&] {
        check_not_null(newcomm, "newcomm");
        const Ref<Communicator> old(&intracommunicator_of(comm));
        const Group& members = group_of(group);
        const std::vector<int> ranks = ranks_in(*old->state, members);
        const int number = creation_tag(tag);
        const bool is_in = members.has(old->state->process().rank());
        *newcomm =
            is_in ? new_communicator(detail::create_from(old->state, ranks, number), *old) : MPI_COMM_NULL;
    });
}

}  // namespace tutti::mpi
