// The network interfaces of this host and their addresses.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/foundation/network/ip_address.hpp"

namespace tutti::network {

/// An address as it is published to other hosts.
struct HostAddress {
    IpAddress address;
    unsigned prefix;  // bits that all addresses of its subnet share
    std::string interface;

    Subnet subnet() const noexcept { return {address, prefix}; }
    bool operator==(const HostAddress&) const = default;
};

struct LocalAddress : HostAddress {
    unsigned interface_index = 0;
    bool up = true;
    /// A bridge without a network contact (docker0, virbr0): it only leads to this host's containers.
    bool isolated_bridge = false;
};

/// All addresses of this host, in the kernel's order of interfaces. Throws ErrorCode::system.
std::vector<LocalAddress> local_addresses();

/// "eth0 10.0.0.1/24, lo 127.0.0.1/8", for messages; "none" for an empty list.
std::string describe(std::span<const HostAddress> addresses);
/// The addresses, with the reason why an address is not chosen automatically: "lo 127.0.0.1/8 (loopback)".
std::string describe(std::span<const LocalAddress> addresses);

}  // namespace tutti::network
