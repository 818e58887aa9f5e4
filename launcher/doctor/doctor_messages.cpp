#include "launcher/doctor/doctor_messages.hpp"

namespace tutti::launcher {

void Codec<network::HostAddress>::put(WireWriter& writer, const network::HostAddress& address)
{
    const char* const bytes = reinterpret_cast<const char*>(address.address.data());
    writer.put(std::string_view(bytes, address.address.size()));
    writer.put(static_cast<std::uint32_t>(address.prefix)).put(std::string_view(address.interface));
}

network::HostAddress Codec<network::HostAddress>::take(WireReader& reader)
{
    const std::string bytes = reader.text();
    const auto address =
        network::IpAddress::of_bytes(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
    const auto prefix = reader.number<std::uint32_t>();
    if (!address || prefix > address->bits())
        throw WireError("an address that is none");
    return {*address, prefix, reader.text()};
}

namespace doctor {

Kind decode_kind(WireReader& reader)
{
    const auto kind = reader.number<std::uint8_t>();
    if (kind < static_cast<std::uint8_t>(Kind::facts) || kind > static_cast<std::uint8_t>(Kind::probe))
        throw WireError("a question of a doctor that is none");
    return static_cast<Kind>(kind);
}

}  // namespace doctor

}  // namespace tutti::launcher
