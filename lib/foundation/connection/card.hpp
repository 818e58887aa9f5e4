// The business card of a rank: where it listens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/foundation/connection/card_bytes.hpp"
#include "lib/foundation/network/interfaces.hpp"

namespace tutti::connection {

struct Card {
    int rank = -1;
    std::uint16_t port = 0;
    std::string host;
    std::vector<network::HostAddress> addresses;

    std::vector<std::byte> to_bytes() const;
    /// Nothing when the bytes are no card, or bytes follow it.
    static std::optional<Card> parse(std::span<const std::byte> bytes);

    /// Writes it as the first part of a longer card.
    void write(CardWriter& out) const;
    static std::optional<Card> read(CardReader& in);
};

}  // namespace tutti::connection
