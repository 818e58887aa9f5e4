// Communicators that are made of groups alone.
#include <utility>

#include "lib/core/communicators/creation.hpp"
#include "lib/core/job/process.hpp"
#include "lib/mpi/communicator.hpp"
#include "lib/mpi/creation_tags.hpp"
#include "lib/mpi/errors.hpp"
#include "lib/mpi/group.hpp"
#include "lib/mpi/guard.hpp"
#include "lib/mpi/info_hooks.hpp"
#include "lib/mpi/runtime.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

namespace {

// nullptr if this rank is not in the group. Only the group's ranks call.
detail::StatePointer state_from(const Group& group, int tag)
{
    if (!Runtime::is_running())
        fail(MPI_ERR_OTHER, "MPI is not running: it was not initialised, or has been finalized");
    detail::Process& process = Runtime::process();
    return group.has(process.rank()) ? detail::create_from(process.world(), *group.members, tag) : nullptr;
}

MPI_Comm handle_of_new(detail::StatePointer state, ErrorHandler& handler)
{
    return state == nullptr ? MPI_COMM_NULL
                            : handle_of(*new Communicator(std::move(state), std::string(), handler));
}

}  // namespace

int comm_create_from_group(MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
                           MPI_Comm* newcomm)
{
    return guard_by("MPI_Comm_create_from_group", errhandler, [&](ErrorHandler& handler) {
        check_not_null(newcomm, "newcomm");
        check_info(info);
        *newcomm = handle_of_new(state_from(group_of(group), creation_tag(stringtag)), handler);
    });
}

}  // namespace tutti::mpi
