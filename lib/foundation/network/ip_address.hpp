// IP addresses of both versions, and their subnets.
#pragma once

#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::network {

class IpAddress {
public:
    /// Nothing unless `text` is an address in its usual form, without port, prefix or name. An IPv4-mapped
    /// IPv6 address (::ffff:10.0.0.1) becomes the IPv4 address.
    static std::optional<IpAddress> parse(std::string_view text);
    static std::optional<IpAddress> of(const sockaddr& address) noexcept;
    /// The address of 4 or 16 bytes in network order.
    static std::optional<IpAddress> of_bytes(const std::byte* bytes, std::size_t size) noexcept;

    bool is_v4() const noexcept { return is_v4_; }
    unsigned bits() const noexcept { return is_v4_ ? 32 : 128; }
    std::size_t size() const noexcept { return bits() / 8; }
    const std::uint8_t* data() const noexcept { return bytes_.data(); }

    bool is_loopback() const noexcept;
    bool is_link_local() const noexcept;
    bool is_any() const noexcept;
    /// Whether it is private (10/8, 172.16/12, 192.168/16, fc00::/7), and so not routed to others.
    bool is_private() const noexcept;
    /// Whether the first `prefix` bits are those of `other`, an address of the same version.
    bool shares_prefix(const IpAddress& other, unsigned prefix) const noexcept;

    std::string to_string() const;
    /// "10.0.0.1:80", "[fd00::1]:80"
    std::string with_port(std::uint16_t port) const;
    /// For connect() and bind(). `scope` is the interface's index, for link-local IPv6 addresses.
    sockaddr_storage to_sockaddr(std::uint16_t port, unsigned scope, socklen_t& size) const noexcept;

    auto operator<=>(const IpAddress&) const = default;

private:
    IpAddress() = default;

    bool is_v4_ = true;
    std::array<std::uint8_t, 16> bytes_{};  // network order; IPv4 uses the first four
};

/// An address, and the number of bits that all addresses of its subnet share.
struct Subnet {
    IpAddress base;
    unsigned prefix;

    /// "10.1.0.0/16"; an address without a prefix is a subnet with only that address.
    static std::optional<Subnet> parse(std::string_view text);
    bool contains(const IpAddress& address) const noexcept { return base.shares_prefix(address, prefix); }
};

}  // namespace tutti::network
