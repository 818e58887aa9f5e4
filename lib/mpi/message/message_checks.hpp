// Ranks and tags of messages.
#pragma once

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/mpi/object/abi.hpp"

namespace tutti::mpi {

/// Throws Failure for a rank that is not in the communicator, or a tag that is no message's.
[[noreturn]] void refuse_message(const detail::CommunicatorState& state, const char* whose, int rank,
                                 int tag);

/// Whether a message goes to `destination`; false for MPI_PROC_NULL. Throws Failure for wrong arguments.
inline bool goes_to(const detail::CommunicatorState& state, int destination, int tag)
{
    if (static_cast<unsigned>(destination) < state.peers().size() && tag >= 0) [[likely]]
        return true;
    if (destination == MPI_PROC_NULL && tag >= 0)
        return false;
    refuse_message(state, "the destination", destination, tag);
}
/// Whether a receive or probe, which takes wildcards, is for a rank; false for MPI_PROC_NULL. Throws Failure
/// for wrong arguments.
inline bool comes_from(const detail::CommunicatorState& state, int source, int tag)
{
    const bool is_tag = tag >= 0 || tag == MPI_ANY_TAG;
    if ((static_cast<unsigned>(source) < state.peers().size() || source == MPI_ANY_SOURCE) && is_tag)
        [[likely]]
        return true;
    if (source == MPI_PROC_NULL && is_tag)
        return false;
    refuse_message(state, "the source", source, tag);
}

}  // namespace tutti::mpi
