#include "transports/ofi/card.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <rdma/fabric.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tutti::transport::ofi {

namespace {

// Changes with the card, the frames and the links; read by the other byte order it is another number.
constexpr std::uint32_t kMagic = 0x6f666901;
constexpr std::size_t kMostDoors = 64;

class Writer {
public:
    template <class Number>
    requires std::is_integral_v<Number>
    void put(Number number)
    {
        const auto raw = std::as_bytes(std::span(&number, 1));
        bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    }
    void put(std::span<const std::byte> raw)
    {
        put(static_cast<std::uint32_t>(raw.size()));
        bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    }
    void put(const std::string& text) { put(std::as_bytes(std::span(text))); }

    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

// Gives zeros and nothing from the first thing on that is not there.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

    template <class Number>
    Number number()
    {
        Number read{};
        const auto raw = some(sizeof read);
        if (raw.size() == sizeof read)
            std::memcpy(&read, raw.data(), sizeof read);
        return read;
    }
    std::span<const std::byte> bytes() { return some(number<std::uint32_t>()); }
    std::string text()
    {
        const auto raw = bytes();
        return {reinterpret_cast<const char*>(raw.data()), raw.size()};
    }
    bool ended_well() const noexcept { return whole_ && left_.empty(); }
    bool whole() const noexcept { return whole_; }

private:
    std::span<const std::byte> some(std::size_t size)
    {
        whole_ = whole_ && size <= left_.size();
        if (!whole_)
            return {};
        const auto taken = left_.first(size);
        left_ = left_.subspan(size);
        return taken;
    }

    std::span<const std::byte> left_;
    bool whole_ = true;
};

}  // namespace

std::vector<std::byte> Card::bytes() const
{
    Writer writer;
    writer.put(kMagic);
    writer.put(rank);
    writer.put(host);
    writer.put(provider);
    for (const std::uint32_t number : {provider_version, address_format, protocol, protocol_version})
        writer.put(number);
    writer.put(std::span<const std::byte>(endpoint));
    writer.put(static_cast<std::uint32_t>(doors.size()));
    for (const Door& door : doors) {
        const network::IpAddress& address = door.at.address;
        writer.put(std::as_bytes(std::span(address.data(), address.size())));
        writer.put(static_cast<std::uint32_t>(door.at.prefix));
        writer.put(door.at.interface);
        writer.put(door.port);
    }
    return writer.take();
}

std::optional<Card> Card::parse(std::span<const std::byte> bytes)
{
    Reader reader(bytes);
    if (reader.number<std::uint32_t>() != kMagic)
        return std::nullopt;
    Card card;
    card.rank = reader.number<std::uint32_t>();
    card.host = reader.text();
    card.provider = reader.text();
    for (std::uint32_t* number :
         {&card.provider_version, &card.address_format, &card.protocol, &card.protocol_version})
        *number = reader.number<std::uint32_t>();
    const auto endpoint = reader.bytes();
    card.endpoint.assign(endpoint.begin(), endpoint.end());
    const std::size_t doors = reader.number<std::uint32_t>();
    if (doors > kMostDoors)
        return std::nullopt;
    for (std::size_t i = 0; i < doors && reader.whole(); ++i) {
        const auto raw = reader.bytes();
        const auto address = network::IpAddress::of_bytes(raw.data(), raw.size());
        const auto prefix = reader.number<std::uint32_t>();
        std::string interface = reader.text();
        const auto port = reader.number<std::uint16_t>();
        if (!address || prefix > address->bits())
            return std::nullopt;
        card.doors.push_back({{*address, prefix, std::move(interface)}, port});
    }
    if (!reader.ended_well() || card.endpoint.empty() || card.doors.empty())
        return std::nullopt;
    return card;
}

bool Card::speaks_with(const Card& other) const noexcept
{
    return provider == other.provider && provider_version == other.provider_version &&
           address_format == other.address_format && protocol == other.protocol &&
           protocol_version == other.protocol_version;
}

std::string Card::speaks() const
{
    return fmt::format("{} {}.{} (protocol {}.{})", provider, provider_version >> 16,
                       provider_version & 0xffff, protocol, protocol_version);
}

std::string Card::endpoint_place() const
{
    if (address_format != FI_SOCKADDR_IN && address_format != FI_SOCKADDR_IN6)
        return "an address of its own kind";
    sockaddr_storage storage{};
    std::memcpy(&storage, endpoint.data(), std::min(endpoint.size(), sizeof storage));
    const auto address = network::IpAddress::of(reinterpret_cast<const sockaddr&>(storage));
    if (!address)
        return "no address";
    const auto port = storage.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(storage).sin6_port
                                                    : reinterpret_cast<const sockaddr_in&>(storage).sin_port;
    const auto door = std::ranges::find(doors, *address, [](const Door& one) { return one.at.address; });
    return fmt::format("{} ({})", address->with_port(ntohs(port)),
                       door != doors.end() ? door->at.interface : "an interface that was not chosen");
}

}  // namespace tutti::transport::ofi
