// Checks of the C++ interface before it receives or probes.
#pragma once

#include <string_view>

#include "lib/core/communicators/communicator_state.hpp"
#include "tutti/buffer.hpp"

namespace tutti::detail {

/// Throws ErrorCode::invalid_rank or invalid_tag in the name of `operation`.
void check_source(const CommunicatorState& state, std::string_view operation, int source, int tag);
/// Throws as check_source(), and ErrorCode::invalid_argument for a buffer without memory.
void check_receive(const CommunicatorState& state, std::string_view operation, const View& view, int source,
                   int tag);

/// Whether `source` is one rank and nothing more can come from it.
bool is_lost(const CommunicatorState& state, int source) noexcept;
/// Throws ErrorCode::peer_lost, with a message that has come and nearly fits. Under the lock.
[[noreturn]] void raise_lost(const CommunicatorState& state, std::string_view operation, int source, int tag);

}  // namespace tutti::detail
