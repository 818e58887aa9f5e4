// The contact of a rank: where it listens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/foundation/connection/contact_bytes.hpp"
#include "lib/foundation/network/interfaces.hpp"

namespace tutti::connection {

struct Contact {
    int rank = -1;
    std::uint16_t port = 0;
    std::string host;
    std::vector<network::HostAddress> addresses;

    std::vector<std::byte> to_bytes() const;
    /// Nothing when the bytes are no contact, or bytes follow it.
    static std::optional<Contact> parse(std::span<const std::byte> bytes);

    /// Writes it as the first part of a longer contact.
    void write(ContactWriter& out) const;
    static std::optional<Contact> read(ContactReader& in);
};

}  // namespace tutti::connection
