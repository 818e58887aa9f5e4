// The business card of a rank: where it listens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/foundation/network/interfaces.hpp"

namespace tutti::connection {

struct Card {
    int rank;
    std::uint16_t port;
    std::string host;
    std::vector<network::HostAddress> addresses;

    std::vector<std::byte> to_bytes() const;
    /// Nothing where the bytes are no card, or one with bytes behind it.
    static std::optional<Card> parse(std::span<const std::byte> bytes);
};

}  // namespace tutti::connection
