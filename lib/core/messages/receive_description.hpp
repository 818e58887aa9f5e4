// From a receive call's arguments to a protocol request: shared by posted and matched receives.
#pragma once

#include <string_view>

#include "lib/core/communicators/communicator_state.hpp"
#include "lib/engine/protocol/requests.hpp"
#include "tutti/buffer.hpp"

namespace tutti::detail {

/// Throws ErrorCode::invalid_rank or invalid_tag, naming `operation`.
void check_receive(const CommunicatorState& state, std::string_view operation, int source, int tag);

/// Whether nothing more can come from `source` alone.
bool is_lost(const CommunicatorState& state, int source) noexcept;
[[noreturn]] void raise_lost(const CommunicatorState& state, std::string_view operation, int source);

/// Fills what the caller of the protocol fills. The view's layout must outlive the request, or be its own.
void describe(protocol::ReceiveRequest& request, const CommunicatorState& state, const View& view, int source,
              int tag);

}  // namespace tutti::detail
