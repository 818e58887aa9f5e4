// Pairs of addresses by which two hosts may reach each other, the likeliest first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/foundation/network/interfaces.hpp"

namespace tutti::network {

/// A pair of addresses to try. `from` may be any address: then the routes choose.
struct Candidate {
    LocalAddress from;
    HostAddress to;

    /// The interface's index if `to` needs it.
    unsigned scope() const noexcept { return to.address.is_link_local() ? from.interface_index : 0; }
    /// "10.0.0.2 (eth0) from 10.0.0.1 (eth0)"; without a source address "10.0.0.2"
    std::string describe() const;
};

/// Both lists come from InterfaceChoice::choose(), so they contain loopback and link-local addresses only if
/// these were named. Each address of theirs appears once, with the best one of mine: first pairs in one
/// subnet, then pairs over a router, with the source of the route. Loopback and link-local addresses only
/// pair with their own kind.
std::vector<Candidate> candidates(std::span<const LocalAddress> mine, std::span<const HostAddress> theirs);

}  // namespace tutti::network
