#include "lib/foundation/network/ip_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace tutti::network {

std::optional<IpAddress> IpAddress::of_bytes(const std::byte* bytes, std::size_t size) noexcept
{
    static constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (size != 4 && size != 16)
        return std::nullopt;
    if (size == 16 && std::memcmp(bytes, kMapped.data(), kMapped.size()) == 0)
        return of_bytes(bytes + kMapped.size(), 4);
    IpAddress address;
    address.is_v4_ = size == 4;
    std::memcpy(address.bytes_.data(), bytes, size);
    return address;
}

std::optional<IpAddress> IpAddress::parse(std::string_view text)
{
    const std::string terminated(text);
    std::array<std::byte, 16> bytes{};
    if (terminated.size() != std::strlen(terminated.c_str()))
        return std::nullopt;
    if (inet_pton(AF_INET, terminated.c_str(), bytes.data()) == 1)
        return of_bytes(bytes.data(), 4);
    if (inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1)
        return of_bytes(bytes.data(), 16);
    return std::nullopt;
}

std::optional<IpAddress> IpAddress::of(const sockaddr& address) noexcept
{
    if (address.sa_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &address, sizeof v4);
        return of_bytes(reinterpret_cast<const std::byte*>(&v4.sin_addr), 4);
    }
    if (address.sa_family == AF_INET6) {
        sockaddr_in6 v6{};
        std::memcpy(&v6, &address, sizeof v6);
        return of_bytes(reinterpret_cast<const std::byte*>(&v6.sin6_addr), 16);
    }
    return std::nullopt;
}

bool IpAddress::is_loopback() const noexcept
{
    if (is_v4_)
        return bytes_[0] == 127;
    return bytes_[15] == 1 &&
           std::all_of(bytes_.begin(), bytes_.end() - 1, [](auto byte) { return byte == 0; });
}

bool IpAddress::is_link_local() const noexcept
{
    return is_v4_ ? bytes_[0] == 169 && bytes_[1] == 254 : bytes_[0] == 0xfe && (bytes_[1] & 0xc0) == 0x80;
}

bool IpAddress::is_any() const noexcept
{
    return std::ranges::all_of(bytes_, [](auto byte) { return byte == 0; });
}

bool IpAddress::is_private() const noexcept
{
    if (!is_v4_)
        return (bytes_[0] & 0xfe) == 0xfc;
    return bytes_[0] == 10 || (bytes_[0] == 172 && (bytes_[1] & 0xf0) == 16) ||
           (bytes_[0] == 192 && bytes_[1] == 168);
}

bool IpAddress::shares_prefix(const IpAddress& other, unsigned prefix) const noexcept
{
    if (is_v4_ != other.is_v4_ || prefix > bits())
        return false;
    const std::size_t whole = prefix / 8;
    if (std::memcmp(bytes_.data(), other.bytes_.data(), whole) != 0)
        return false;
    const unsigned rest = prefix % 8;
    return rest == 0 || (bytes_[whole] ^ other.bytes_[whole]) >> (8 - rest) == 0;
}

std::string IpAddress::to_string() const
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(is_v4_ ? AF_INET : AF_INET6, bytes_.data(), text.data(), text.size());
    return text.data();
}

std::string IpAddress::with_port(std::uint16_t port) const
{
    return is_v4_ ? fmt::format("{}:{}", to_string(), port) : fmt::format("[{}]:{}", to_string(), port);
}

sockaddr_storage IpAddress::to_sockaddr(std::uint16_t port, unsigned scope, socklen_t& size) const noexcept
{
    sockaddr_storage storage{};
    if (is_v4_) {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_port = htons(port);
        std::memcpy(&v4.sin_addr, bytes_.data(), sizeof v4.sin_addr);
        std::memcpy(&storage, &v4, sizeof v4);
        size = sizeof v4;
    } else {
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(port);
        v6.sin6_scope_id = scope;
        std::memcpy(&v6.sin6_addr, bytes_.data(), sizeof v6.sin6_addr);
        std::memcpy(&storage, &v6, sizeof v6);
        size = sizeof v6;
    }
    return storage;
}

std::optional<Subnet> Subnet::parse(std::string_view text)
{
    const std::size_t slash = text.find('/');
    const auto base = IpAddress::parse(text.substr(0, slash));
    if (!base)
        return std::nullopt;
    unsigned prefix = base->bits();
    if (slash != std::string_view::npos) {
        const std::string_view digits = text.substr(slash + 1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), prefix);
        if (error != std::errc{} || end != digits.data() + digits.size() || prefix > base->bits())
            return std::nullopt;
    }
    return Subnet{*base, prefix};
}

}  // namespace tutti::network
