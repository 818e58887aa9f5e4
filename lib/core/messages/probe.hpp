// Probes of a communicator below the faces: messages that have come and that no receive has asked for.
#pragma once

#include <string_view>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/engine/progress/engine.hpp"
#include "tutti/buffer.hpp"

namespace tutti::detail {

// The caller has checked rank and tag. Throws ErrorCode::peer_lost in the name of `operation` where no such
// message can come any more. Under the lock, which is given up meanwhile.

/// The message that a receive with these arguments would get, in its place. Waits for it.
protocol::UnexpectedRequest& wait_for_message(progress::Engine::Lock& lock, const CommunicatorState& state,
                                              std::string_view operation, int source, int tag);
/// The same if it has come, after one pass of progress at most; or nullptr. A loop of it is a wait: who is
/// asked for by name is looked after. Any source may also be this rank itself, which may send later.
protocol::UnexpectedRequest* look_for_message(progress::Engine::Lock& lock, const CommunicatorState& state,
                                              std::string_view operation, int source, int tag);

/// Receives a message that was taken out of the queue.
RequestState& begin_receive_matched(const CommunicatorState& state, const View& view,
                                    protocol::UnexpectedRequest& message);

}  // namespace tutti::detail
