// The contact of a rank that is reached over libfabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/foundation/connection/contact.hpp"

namespace tutti::transport::ofi {

/// Where the rank listens for links, and the address of its endpoint.
struct FabricContact : connection::Contact {
    std::string provider;
    std::uint32_t provider_version = 0;
    std::uint32_t address_format = 0;
    std::uint32_t protocol = 0;
    std::uint32_t protocol_version = 0;
    std::vector<std::byte> endpoint;  // the provider's address of the endpoint

    std::vector<std::byte> bytes() const;
    /// Nothing when the bytes are no contact of this version, or come from a machine of another byte order.
    static std::optional<FabricContact> parse(std::span<const std::byte> bytes);

    /// Whether the endpoints of both can talk to each other.
    bool speaks_with(const FabricContact& other) const noexcept;
    /// "net 117.0 (protocol 25.1)"
    std::string speaks() const;
    /// Where the endpoint is, as far as it is known: "10.0.0.2:4711 (eth0)".
    std::string endpoint_place() const;
};

}  // namespace tutti::transport::ofi
