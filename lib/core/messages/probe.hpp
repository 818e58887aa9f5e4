// Probes of a communicator below the interfaces: they look at unexpected messages.
#pragma once

#include <string_view>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/engine/progress/engine.hpp"
#include "tutti/buffer.hpp"

namespace tutti::detail {

// The caller has checked rank and tag. Throws ErrorCode::peer_lost in the name of `operation` if no such
// message can come. Under the lock, which is released while waiting.

/// Waits for the message that a receive with these arguments would get, and leaves it in the queue.
protocol::UnexpectedRequest& wait_for_message(progress::Engine::Lock& lock, const CommunicatorState& state,
                                              std::string_view operation, int source, int tag);
/// That message after at most one pass of progress; nullptr if it has not come. A loop of calls is a wait, so
/// a source given by rank is checked for loss. Any source includes this rank itself, which may send later.
protocol::UnexpectedRequest* look_for_message(progress::Engine::Lock& lock, const CommunicatorState& state,
                                              std::string_view operation, int source, int tag);

/// What the program learns of a message.
Status status_of(const CommunicatorState& state, const protocol::UnexpectedRequest& message) noexcept;

/// Receives a message that was taken out of the queue.
RequestState& begin_receive_matched(const CommunicatorState& state, const View& view,
                                    protocol::UnexpectedRequest& message);

}  // namespace tutti::detail
