// Sends the bytes of a message, which may lie in one place, in several, or have to be collected.
#pragma once

#include "lib/engine/protocol/choose_protocol.hpp"
#include "lib/engine/protocol/requests.hpp"

namespace tutti::protocol {

/// How many bytes of the message go in one frame.
std::size_t most_in_frame(const SendRequest& request) noexcept;
/// Sends one frame with the next payload bytes, at most most_in_frame(). False: try again later.
bool send_piece(SendRequest& request, std::span<const std::byte> header, std::size_t payload_bytes);

/// SendRequest::collect of a message in parts.
void collect_parts(const SendRequest& request, std::size_t offset, std::span<std::byte> out);

/// Copies the first out.size() bytes of the message.
void copy_out(const SendRequest& request, std::span<std::byte> out);

/// Copies the bytes that the receive expects to their place.
void copy_to(const SendRequest& send, ReceiveRequest& receive);

}  // namespace tutti::protocol
