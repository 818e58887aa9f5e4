#include "lib/foundation/connection/contact.hpp"

#include <algorithm>

namespace tutti::connection {

namespace {

constexpr std::uint32_t kMagic = 0x32504354;  // "TCP2"; changes with the contact's form
constexpr std::size_t kMostAddresses = 64;

}  // namespace

void Contact::write(ContactWriter& out) const
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

std::optional<Contact> Contact::read(ContactReader& in)
{
    if (in.number<std::uint32_t>() != kMagic)
        return std::nullopt;
    Contact contact;
    contact.rank = static_cast<int>(in.number<std::uint32_t>());
    contact.port = in.number<std::uint16_t>();
    contact.host = in.text();
    const std::size_t count = in.number<std::uint8_t>();
    for (std::size_t i = 0; i < count; ++i) {
        const auto raw = in.bytes();
        const unsigned prefix = in.number<std::uint8_t>();
        std::string interface = in.text();
        const auto address = network::IpAddress::of_bytes(raw.data(), raw.size());
        if (in.failed() || !address || prefix > address->bits())
            return std::nullopt;
        contact.addresses.push_back({*address, prefix, std::move(interface)});
    }
    if (in.failed() || contact.rank < 0 || contact.port == 0 || count > kMostAddresses)
        return std::nullopt;
    return contact;
}

std::vector<std::byte> Contact::to_bytes() const
{
    ContactWriter out;
    write(out);
    return out.take();
}

std::optional<Contact> Contact::parse(std::span<const std::byte> bytes)
{
    ContactReader in(bytes);
    const auto contact = read(in);
    return in.at_end() ? contact : std::nullopt;
}

}  // namespace tutti::connection
