// The buffers that programs attach for buffered sends: one of the process, and one of each communicator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/mpi/object/abi.hpp"
#include "lib/mpi/object/views.hpp"
#include "tutti/buffer.hpp"

namespace tutti::mpi {

/// Whose buffer: a communicator's, by its context, or the process's.
using BufferOwner = std::optional<std::uint64_t>;

// All throw Failure where there is no such buffer, or MPI is not running.

/// Sends a message from the communicator's buffer, or else the process's, without waiting.
void send_buffered(const detail::CommunicatorState& state, const detail::ConstView& view, int dest, int tag);

/// `overhead`: what the program adds for each message, where the standard has MPI_BSEND_OVERHEAD.
void attach_buffer(BufferOwner owner, void* memory, MPI_Count size,
                   std::size_t overhead = MPI_BSEND_OVERHEAD);
/// Waits until the messages have left, and gives the program its memory back. The code of a lost message.
int detach_buffer(const char* call, BufferOwner owner, void* address, CountPlace size);

/// Waits until the messages have left; at once if no buffer is attached. The code of a lost one.
int flush_buffer(const char* call, BufferOwner owner);
/// The handle of such a wait.
MPI_Request begin_flush(BufferOwner owner);

/// Detaches the communicator's buffer if there is one. The code of a lost message.
int end_buffer_of(const char* call, const detail::CommunicatorState& state);
/// Detaches all buffers.
void end_buffers();

}  // namespace tutti::mpi
