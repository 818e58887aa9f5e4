#include "lib/foundation/connection/card.hpp"

#include <algorithm>

namespace tutti::connection {

namespace {

constexpr std::uint32_t kMagic = 0x32504354;  // "TCP2"; changes with the card's form
constexpr std::size_t kMostAddresses = 64;

}  // namespace

void Card::write(CardWriter& out) const
{
    out.number(kMagic);
    out.number(static_cast<std::uint32_t>(rank));
    out.number(port);
    out.text(host);
    const std::size_t count = std::min(addresses.size(), kMostAddresses);
    out.number(static_cast<std::uint8_t>(count));
    for (const network::HostAddress& entry : std::span(addresses).first(count)) {
        out.bytes(std::as_bytes(std::span(entry.address.data(), entry.address.size())));
        out.number(static_cast<std::uint8_t>(entry.prefix));
        out.text(entry.interface);
    }
}

std::optional<Card> Card::read(CardReader& in)
{
    if (in.number<std::uint32_t>() != kMagic)
        return std::nullopt;
    Card card;
    card.rank = static_cast<int>(in.number<std::uint32_t>());
    card.port = in.number<std::uint16_t>();
    card.host = in.text();
    const std::size_t count = in.number<std::uint8_t>();
    for (std::size_t i = 0; i < count; ++i) {
        const auto raw = in.bytes();
        const unsigned prefix = in.number<std::uint8_t>();
        std::string interface = in.text();
        const auto address = network::IpAddress::of_bytes(raw.data(), raw.size());
        if (in.failed() || !address || prefix > address->bits())
            return std::nullopt;
        card.addresses.push_back({*address, prefix, std::move(interface)});
    }
    if (in.failed() || card.rank < 0 || card.port == 0 || count > kMostAddresses)
        return std::nullopt;
    return card;
}

std::vector<std::byte> Card::to_bytes() const
{
    CardWriter out;
    write(out);
    return out.take();
}

std::optional<Card> Card::parse(std::span<const std::byte> bytes)
{
    CardReader in(bytes);
    const auto card = read(in);
    return in.at_end() ? card : std::nullopt;
}

}  // namespace tutti::connection
