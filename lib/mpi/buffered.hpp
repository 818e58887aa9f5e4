// Buffered sends.
#pragma once

#include <cstddef>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/mpi/table/bodies.hpp"

namespace tutti::mpi {

/// Detaches the communicator's buffer after its messages have left; nothing if there is none. The code of a
/// lost message.
int end_buffer_of(const char* call, const detail::CommunicatorState& state);

/// MPI_Buffer_attach of a program that adds `overhead` for each message, where the standard has
/// MPI_BSEND_OVERHEAD.
int buffer_attach(void* buffer, MPI_Count size, std::size_t overhead);

/// Detaches all buffers after their messages have left. Throws Failure or Error for a lost one.
void end_buffers();

}  // namespace tutti::mpi
