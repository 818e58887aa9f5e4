// Hosts that are not there.
#pragma once

#include <string>
#include <vector>

#include "lib/foundation/network/interfaces.hpp"

namespace tutti::test {

inline network::LocalAddress address(const std::string& interface, const std::string& subnet)
{
    const auto parsed = network::Subnet::parse(subnet).value();
    return {{parsed.base, parsed.prefix, interface}, 7};
}

inline network::LocalAddress isolated(network::LocalAddress address)
{
    address.isolated_bridge = true;
    return address;
}

inline network::LocalAddress down(network::LocalAddress address)
{
    address.up = false;
    return address;
}

inline std::vector<network::HostAddress> reported(const std::vector<network::LocalAddress>& addresses)
{
    return {addresses.begin(), addresses.end()};
}

}  // namespace tutti::test
