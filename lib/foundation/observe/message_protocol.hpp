// The protocols of a message: how its bytes get from the sender's memory to the receiver's. Ranks choose one
// (lib/engine/protocol/choose_protocol.hpp) and count it; reports name it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tutti::observe {

enum class MessageProtocol : unsigned char {
    inject,         // one frame, copied at once: the send needs no request
    eager,          // sent before a receive has matched, in one frame or several
    read_in_place,  // the receiver reads it where it lies, in memory that both have mapped
    pull,           // the receiver copies it out of the sender's memory, by the kernel or the network
    stream,         // the sender sends it in frames once a receive has matched; the first bytes at once
};
inline constexpr std::array<std::string_view, 5> kMessageProtocolNames = {"inject", "eager", "read_in_place",
                                                                          "pull", "stream"};
inline constexpr std::size_t kMessageProtocols = kMessageProtocolNames.size();

constexpr std::string_view name_of(MessageProtocol protocol) noexcept
{
    return kMessageProtocolNames[static_cast<std::size_t>(protocol)];
}

/// A protocol in words of memory that others read; 0: none is known.
constexpr std::uint64_t code_of(std::optional<MessageProtocol> protocol) noexcept
{
    return protocol ? static_cast<std::uint64_t>(*protocol) + 1 : 0;
}
/// The protocol with this code, any number; empty: none is known, or none has that code.
constexpr std::optional<MessageProtocol> protocol_of(std::uint64_t code) noexcept
{
    return code >= 1 && code <= kMessageProtocols ? std::optional(static_cast<MessageProtocol>(code - 1))
                                                  : std::nullopt;
}

}  // namespace tutti::observe
