// What a rank tells others of how it is reached over libfabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/foundation/connection/card.hpp"

namespace tutti::transport::ofi {

/// Where it listens for links, and its endpoint.
struct Card : connection::Card {
    std::string provider;
    std::uint32_t provider_version = 0;
    std::uint32_t address_format = 0;
    std::uint32_t protocol = 0;
    std::uint32_t protocol_version = 0;
    std::vector<std::byte> endpoint;  // the provider's address of it

    std::vector<std::byte> bytes() const;
    /// Nothing when the bytes are no card of this version, or of a machine of another byte order.
    static std::optional<Card> parse(std::span<const std::byte> bytes);

    /// Whether endpoints of both can talk.
    bool speaks_with(const Card& other) const noexcept;
    /// "net 117.0 (protocol 25.1)"
    std::string speaks() const;
    /// Where the endpoint is: "10.0.0.2:4711 (eth0)", as far as that can be told.
    std::string endpoint_place() const;
};

}  // namespace tutti::transport::ofi
