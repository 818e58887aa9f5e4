// Which of a host's addresses are used: TUTTI_INTERFACE, tuttirun --interface.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/foundation/network/interfaces.hpp"

namespace tutti::network {

class InterfaceChoice {
public:
    /// Automatic: all addresses that other hosts may reach; no loopback or link-local addresses, and no
    /// bridges without a network contact.
    InterfaceChoice() = default;
    /// Names of interfaces and subnets, the preferred first: "eth0,10.1.0.0/16,fd00::/8". `source` names the
    /// text's origin, for messages. Empty: automatic. Throws ErrorCode::invalid_argument for an invalid
    /// subnet.
    static InterfaceChoice parse(std::string_view text, std::string_view source = "TUTTI_INTERFACE");
    /// TUTTI_INTERFACE as a rank reads it, or automatic.
    static InterfaceChoice from_settings();

    bool is_automatic() const noexcept { return entries_.empty(); }

    /// The addresses of `all` to use, in order of preference: at least one. Throws, with a list of what there
    /// is, when none fits or a named interface is missing. `host` is for messages.
    std::vector<LocalAddress> choose(std::span<const LocalAddress> all, std::string_view host) const;

private:
    // A name, or a subnet.
    struct Entry {
        std::string text;
        std::optional<Subnet> subnet;

        bool fits(const LocalAddress& address) const noexcept
        {
            return subnet ? subnet->contains(address.address) : text == address.interface;
        }
    };

    std::string source_;
    std::string text_;
    std::vector<Entry> entries_;
};

}  // namespace tutti::network
