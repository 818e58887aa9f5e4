// The bytes of a message as they leave, wherever they lie: in one place, in several, or to be collected.
#pragma once

#include "lib/engine/protocol/requests.hpp"

namespace tutti::protocol {

/// So much of a message that lies in several places is copied together at a time, for a transport that takes
/// one: a longer one goes by rendezvous, piece by piece.
inline constexpr std::size_t kPieceBytes = 64u << 10;

/// Sends one frame with the message's next payload bytes, at most kPieceBytes where they are collected.
/// False: try again later.
bool send_piece(SendRequest& request, std::span<const std::byte> header, std::size_t payload_bytes);

/// As SendRequest::collect, of a message in parts.
void collect_parts(const SendRequest& request, std::size_t offset, std::span<std::byte> out);

/// Copies all of a message, wherever it lies, which is as long as `out`.
void copy_out(const SendRequest& request, std::span<std::byte> out);

}  // namespace tutti::protocol
