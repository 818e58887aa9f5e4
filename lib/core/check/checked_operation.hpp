// An operation that the checks follow: its buffer, its type, and how its message is collected and delivered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lib/core/check/borrowed_memory.hpp"
#include "lib/core/check/call_site.hpp"
#include "lib/core/check/message_type.hpp"
#include "lib/engine/protocol/requests.hpp"
#include "tutti/buffer.hpp"

namespace tutti::check {

/// A message has so many bytes more than its data.
inline constexpr std::size_t kNoteBytes = sizeof(MessageNote);

/// From its start until the program knows that it is complete.
struct CheckedOperation {
    /// The first bytes of the data, in the order of transfer.
    std::uint64_t checksum(std::size_t size_bytes) const;
    /// Bytes [offset, ...) of a message: the note, and behind it the data.
    void collect(std::size_t offset, std::span<std::byte> out) const;
    void deliver(protocol::ReceiveRequest& request, std::size_t offset, std::span<const std::byte> bytes);

    /// `access`: of a file or a window.
    enum class Kind : unsigned char { send, receive, collective, access };

    Kind kind;
    bool sums;      // whether the buffer is watched
    bool blocking;  // the call waits for the end
    std::uint64_t context;
    Site site{};   // where it began, unless it blocks
    int peer = 0;  // of a message: rank in the communicator, or any_source
    int tag = 0;
    detail::View data{};
    datatype::TypemapRef layout{};  // the data's
    MessageType type{};
    MessageNote note{};  // sent, or received
    std::uint64_t sum = 0;
    bool arrived = false;  // all of a received message
    bool touched = false;  // a receive's buffer, before the message came
    bool let_go = false;   // nobody completes it
    std::string what{};    // a collective or an access in words
    std::optional<BorrowedMemory> borrowed{};
};

}  // namespace tutti::check
