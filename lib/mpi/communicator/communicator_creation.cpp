// Communicators of the ranks of groups.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/core/communicators/creation.hpp"
#include "lib/core/communicators/intercommunicator.hpp"
#include "lib/core/process/process.hpp"
#include "lib/mpi/communicator/communicator_object.hpp"
#include "lib/mpi/communicator/creation_tags.hpp"
#include "lib/mpi/group/group_object.hpp"
#include "lib/mpi/info/info.hpp"
#include "lib/mpi/object/errors.hpp"
#include "lib/mpi/object/guard.hpp"
#include "lib/mpi/object/runtime.hpp"
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

// nullptr if this rank is not in the group. Only the group's ranks call.
detail::StatePointer state_from(const Group& group, int tag)
{
    Runtime::check_running();
    detail::Process& process = Runtime::process();
    return group.has(process.rank()) ? detail::create_from(process.world(), *group.members, tag) : nullptr;
}

MPI_Comm handle_of_new(detail::StatePointer state, ErrorHandler& handler)
{
    return state == nullptr ? MPI_COMM_NULL
                            : handle_of(*new Communicator(std::move(state), std::string(), handler));
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
    return guard_result("MPI_Comm_create_group", comm, newcomm, "newcomm", [&] {
        const Ref<Communicator> old(&intracommunicator_of(comm));
        const Group& members = group_of(group);
        const std::vector<int> ranks = ranks_in(*old->state, members);
        const int number = creation_tag(tag);
        const bool is_in = members.has(old->state->process().rank());
        return is_in ? new_communicator(detail::create_from(old->state, ranks, number), *old) : MPI_COMM_NULL;
    });
}

int comm_create_from_group(MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
                           MPI_Comm* newcomm)
{
    return guard_by("MPI_Comm_create_from_group", errhandler, [&](ErrorHandler& handler) {
        check_not_null(newcomm, "newcomm");
        check_info(info);
        *newcomm = handle_of_new(state_from(group_of(group), creation_tag(stringtag)), handler);
    });
}

int intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group,
                                 int remote_leader, const char* stringtag, MPI_Info info,
                                 MPI_Errhandler errhandler, MPI_Comm* newintercomm)
{
    return guard_by("MPI_Intercomm_create_from_groups", errhandler, [&](ErrorHandler& handler) {
        check_not_null(newintercomm, "newintercomm");
        check_info(info);
        const Group& local = group_of(local_group);
        const Group& remote = group_of(remote_group);
        const int tag = creation_tag(stringtag);
        if (local.size() > 0)
            check_rank_in(local, local_leader, "local_leader");
        if (remote.size() > 0)
            check_rank_in(remote, remote_leader, "remote_leader");
        if (std::ranges::any_of(*local.members, [&](int rank) { return remote.has(rank); }))
            fail(MPI_ERR_GROUP, "the groups have a rank in common; give groups that share none");
        const detail::StatePointer state = remote.size() > 0 ? state_from(local, tag) : nullptr;
        *newintercomm = MPI_COMM_NULL;
        if (state != nullptr)
            *newintercomm = handle_of_new(
                detail::create_intercommunicator(state, local_leader, Runtime::process().world(),
                                                 remote[remote_leader], tag),
                handler);
    });
}

}  // namespace tutti::mpi
