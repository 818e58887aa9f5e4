// Messages of a communicator below the interfaces: blocking and non-blocking sends and receives of bytes.
//
// The caller has checked rank, tag and memory. An operation's error is in its status; a blocking call returns
// it as an exception pointer (nullptr: none), and failure_of() gives it for a state. These errors are not
// thrown. Thrown are errors that prevent the start of an operation (an unreachable peer, no memory) and
// errors that end all progress. All under the engine's lock, which waits release.
#pragma once

#include <exception>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/core/process/process.hpp"
#include "tutti/buffer.hpp"
#include "tutti/status.hpp"

namespace tutti::detail {

/// Sends a short message at once, without a request; false if that is not possible. Inline, as it is the fast
/// path of every interface.
[[gnu::always_inline]] inline bool send_at_once(const CommunicatorState& state, const ConstView& view,
                                                int destination, int tag, SendMode mode,
                                                protocol::Departure departure = protocol::Departure::at_once)
{
    Process& process = state.process();
    const std::uint64_t begun = process.status().clock();
    if (mode == SendMode::synchronous || view.layout != nullptr ||
        !process.protocol().inject({state.context(), state.rank(), tag}, state.peer_rank(destination),
                                   {view.data, view.size_bytes}, departure)) [[unlikely]]
        return false;
    process.status().passes(
        RankStatus::words(observe::Operation::send, state.context(), destination, tag, view.size_bytes),
        begun);
    process.engine().started();
    return true;
}

/// For a message that send_at_once() has not sent.
std::exception_ptr send(progress::Engine::Lock& lock, const CommunicatorState& state, const ConstView& view,
                        int destination, int tag, SendMode mode);
/// nullptr: the message was sent. `departure` is soon where the program waits for the request or tests it.
RequestState* begin_send(const CommunicatorState& state, const ConstView& view, int destination, int tag,
                         SendMode mode, protocol::Departure departure = protocol::Departure::at_once);

std::exception_ptr receive(progress::Engine::Lock& lock, const CommunicatorState& state, const View& view,
                           int source, int tag, Status& status);
RequestState& begin_receive(const CommunicatorState& state, const View& view, int source, int tag);

/// Fills the caller's fields. The view's layout must outlive the request, or the request must hold it.
void describe(protocol::ReceiveRequest& request, const CommunicatorState& state, const View& view, int source,
              int tag);

}  // namespace tutti::detail
