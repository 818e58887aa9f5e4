#include "lib/mpi/message/message_checks.hpp"

#include <fmt/format.h>

#include "lib/mpi/object/errors.hpp"

namespace tutti::mpi {

void refuse_message(const detail::CommunicatorState& state, const char* whose, int rank, int tag)
{
    if (rank != MPI_ANY_SOURCE && rank != MPI_PROC_NULL)
        check_rank(rank, static_cast<int>(state.peers().size()), whose, " of this communicator");
    check_tag(tag);
    fail(MPI_ERR_RANK, fmt::format("{} is MPI_ANY_SOURCE, which only receives and probes take", whose));
}

}  // namespace tutti::mpi
