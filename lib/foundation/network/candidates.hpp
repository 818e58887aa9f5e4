// By which addresses two hosts may reach each other, the likeliest first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/foundation/network/interfaces.hpp"

namespace tutti::network {

/// A pair of addresses that is worth a try. `from` may be any address: the routes choose.
struct Candidate {
    LocalAddress from;
    HostAddress to;

    /// The interface's index where `to` means nothing without it.
    unsigned scope() const noexcept { return to.address.is_link_local() ? from.interface_index : 0; }
    /// "10.0.0.2 (eth0) from 10.0.0.1 (eth0)"; from any address "10.0.0.2"
    std::string describe() const;
};

/// Both lists as InterfaceChoice::choose() gives them, so loopback and link-local addresses are in them only
/// where they were named. Each address of theirs once, with the one of mine that fits it best: in one subnet
/// first, then those that a router may lead to, of which the one that the routes would take. Loopback and
/// link-local addresses go with their like only.
std::vector<Candidate> candidates(std::span<const LocalAddress> mine, std::span<const HostAddress> theirs);

}  // namespace tutti::network
