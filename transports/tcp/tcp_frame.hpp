// Frames on a connection after the handshake. Each begins with this prefix in host byte order (the handshake
// has checked that both ends use the same).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transports/transport.hpp"

namespace tutti::transport::tcp {

/// The version of everything after the handshake. Changes with Prefix and with connection::Verdict.
inline constexpr std::uint32_t kProtocolVersion = 0x54'43'50'02;

/// The largest payload of a frame: so long that the cost of a system call does not matter, so short that
/// other frames do not wait long. docs/measurements/network.md has the measurement.
inline constexpr std::size_t kMaxPayload = 2048u << 10;

struct Prefix {
    enum class Kind : std::uint8_t {
        frame = 1,
        host,     // the header is the name of the sender's host
        goodbye,  // the sender leaves the job; nothing follows
    };
    static constexpr std::uint16_t kMark = 0x7e71;

    std::uint32_t payload_bytes = 0;
    Kind kind;
    std::uint8_t header_bytes = 0;
    std::uint16_t mark = kMark;

    bool valid() const noexcept
    {
        return mark == kMark && header_bytes <= kMaxHeaderBytes && payload_bytes <= kMaxPayload &&
               kind >= Kind::frame && kind <= Kind::goodbye && (kind == Kind::frame || payload_bytes == 0);
    }
};
static_assert(sizeof(Prefix) == 8);

/// A prefix and the header behind it.
struct Head {
    Head(Prefix::Kind kind, std::span<const std::byte> header, std::size_t payload_bytes) noexcept
        : prefix{static_cast<std::uint32_t>(payload_bytes), kind, static_cast<std::uint8_t>(header.size())}
    {
        if (!header.empty())
            std::memcpy(rest, header.data(), header.size());
    }
    std::span<const std::byte> bytes() const noexcept
    {
        return {reinterpret_cast<const std::byte*>(this), sizeof prefix + prefix.header_bytes};
    }

    Prefix prefix;
    std::byte rest[kMaxHeaderBytes];
};

}  // namespace tutti::transport::tcp
