#include "lib/mpi/message/message_checks.hpp"

#include <fmt/format.h>

#include "lib/mpi/object/errors.hpp"

namespace tutti::mpi {

void refuse_message(const detail::CommunicatorState& state, const char* whose, int rank, int tag)
{
    const auto ranks = static_cast<int>(state.peers().size());
    const bool is_wild = rank == MPI_ANY_SOURCE || rank == MPI_PROC_NULL;
    if (!is_wild && (rank < 0 || rank >= ranks))
        fail(MPI_ERR_RANK, fmt::format("the {} is {}, but the ranks of this communicator are 0 to {}", whose,
                                       rank, ranks - 1));
    if (tag < 0)
        fail(MPI_ERR_TAG, fmt::format("tag {} is negative; tags are 0 to 2147483647", tag));
    fail(MPI_ERR_RANK, fmt::format("the {} is MPI_ANY_SOURCE, which only receives and probes take", whose));
}

}  // namespace tutti::mpi
