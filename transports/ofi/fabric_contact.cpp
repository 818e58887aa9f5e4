#include "transports/ofi/fabric_contact.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <rdma/fabric.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

namespace tutti::transport::ofi {

namespace {

// Changes with the contact, the frames and the links.
constexpr std::uint32_t kMagic = 0x6f666902;

}  // namespace

std::vector<std::byte> FabricContact::bytes() const
{
    connection::ContactWriter out;
    out.number(kMagic);
    write(out);
    out.text(provider);
    for (const std::uint32_t number : {provider_version, address_format, protocol, protocol_version})
        out.number(number);
    out.bytes(endpoint);
    return out.take();
}

std::optional<FabricContact> FabricContact::parse(std::span<const std::byte> bytes)
{
    connection::ContactReader in(bytes);
    if (in.number<std::uint32_t>() != kMagic)
        return std::nullopt;
    auto place = connection::Contact::read(in);
    if (!place)
        return std::nullopt;
    FabricContact contact;
    static_cast<connection::Contact&>(contact) = std::move(*place);
    contact.provider = in.text();
    for (std::uint32_t* number :
         {&contact.provider_version, &contact.address_format, &contact.protocol, &contact.protocol_version})
        *number = in.number<std::uint32_t>();
    const auto endpoint = in.bytes();
    contact.endpoint.assign(endpoint.begin(), endpoint.end());
    if (!in.at_end() || contact.endpoint.empty() || contact.addresses.empty())
        return std::nullopt;
    return contact;
}

bool FabricContact::speaks_with(const FabricContact& other) const noexcept
{
    return provider == other.provider && provider_version == other.provider_version &&
           address_format == other.address_format && protocol == other.protocol &&
           protocol_version == other.protocol_version;
}

std::string FabricContact::speaks() const
{
    return fmt::format("{} {}.{} (protocol {}.{})", provider, provider_version >> 16,
                       provider_version & 0xffff, protocol, protocol_version);
}

std::string FabricContact::endpoint_place() const
{
    if (address_format != FI_SOCKADDR_IN && address_format != FI_SOCKADDR_IN6)
        return "an address of its own kind";
    sockaddr_storage storage{};
    std::memcpy(&storage, endpoint.data(), std::min(endpoint.size(), sizeof storage));
    const auto address = network::IpAddress::of(reinterpret_cast<const sockaddr&>(storage));
    if (!address)
        return "no address";
    const auto its_port = storage.ss_family == AF_INET6
                              ? reinterpret_cast<const sockaddr_in6&>(storage).sin6_port
                              : reinterpret_cast<const sockaddr_in&>(storage).sin_port;
    const auto found = std::ranges::find(addresses, *address, &network::HostAddress::address);
    return fmt::format("{} ({})", address->with_port(ntohs(its_port)),
                       found != addresses.end() ? found->interface : "an interface that was not chosen");
}

}  // namespace tutti::transport::ofi
