// Messages of a communicator below the faces: sends and receives of bytes, blocking or begun.
//
// The caller has checked rank, tag and memory. What an operation meets is in its status, and in words in the
// failure that a blocking one returns (nullptr: none) or in failure_of() of its state; nothing of it is
// thrown. Thrown is what keeps an operation from being begun (a peer that cannot be reached, no memory) and
// what ends all progress. All under the engine's lock, which waits let go meanwhile.
#pragma once

#include <exception>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/job/process.hpp"
#include "tutti/buffer.hpp"
#include "tutti/status.hpp"

namespace tutti::detail {

/// Sends a short message at once, without a request; false where it cannot go like that. The fast path of
/// every face, so it is inline.
inline bool send_at_once(const CommunicatorState& state, const ConstView& view, int destination, int tag,
                         SendMode mode)
{
    Process& process = state.process();
    if (mode == SendMode::synchronous || view.layout != nullptr ||
        !process.protocol().inject({state.context(), state.rank(), tag}, state.peer_rank(destination),
                                   {view.data, view.size_bytes})) [[unlikely]]
        return false;
    process.engine().started();
    return true;
}

/// Of a message that does not go at once.
std::exception_ptr send(progress::Engine::Lock& lock, const CommunicatorState& state, const ConstView& view,
                        int destination, int tag, SendMode mode);
/// nullptr: it has gone.
RequestState* begin_send(const CommunicatorState& state, const ConstView& view, int destination, int tag,
                         SendMode mode);

std::exception_ptr receive(progress::Engine::Lock& lock, const CommunicatorState& state, const View& view,
                           int source, int tag, Status& status);
RequestState& begin_receive(const CommunicatorState& state, const View& view, int source, int tag);

/// Fills what the caller of the protocol fills. The view's layout must outlive the request, or be its own.
void describe(protocol::ReceiveRequest& request, const CommunicatorState& state, const View& view, int source,
              int tag);

}  // namespace tutti::detail
