// Buffered sends.
#pragma once

#include "lib/core/communicators/communicator_state.hpp"

namespace tutti::mpi {

/// Detaches the communicator's buffer after its messages have left; nothing if there is none. The code of a
/// lost message.
int end_buffer_of(const char* call, const detail::CommunicatorState& state);

/// Detaches all buffers after their messages have left. Throws Failure or Error for a lost one.
void end_buffers();

}  // namespace tutti::mpi
