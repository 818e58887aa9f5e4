// Messages that do not lie in one place: how their bytes are found, and copied together.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "lib/engine/protocol/requests.hpp"

namespace tutti::protocol {

/// So much of a message that lies in several places is copied together at a time, for a transport that takes
/// one: a longer one goes by rendezvous, piece by piece.
inline constexpr std::size_t kPieceBytes = 64u << 10;

/// The next `size_bytes` bytes of a message with collect(), at most kPieceBytes, in memory of the request's:
/// those that were collected for a frame that was refused are still there.
std::span<const std::byte> collect(SendRequest& request, std::size_t size_bytes);

/// As SendRequest::collect, of a message in parts.
void collect_parts(const SendRequest& request, std::size_t offset, std::span<std::byte> out);

/// Copies all of a message, wherever it lies, which is as long as `out`.
void copy_out(const SendRequest& request, std::span<std::byte> out);

/// Where bytes [offset, offset + size_bytes) of a message lie that has at most kMostParts parts.
class PartsOf {
public:
    PartsOf(const SendRequest& request, std::size_t offset, std::size_t size_bytes) noexcept;
    transport::Parts all() const noexcept { return std::span(parts_).first(count_); }

private:
    std::array<std::span<const std::byte>, transport::kMostParts> parts_;
    std::size_t count_ = 0;
};

}  // namespace tutti::protocol
