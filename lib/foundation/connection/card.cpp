#include "lib/foundation/connection/card.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace tutti::connection {

namespace {

constexpr std::uint32_t kMagic = 0x31504354;  // "TCP1"; changes with the card's form
constexpr std::size_t kMostAddresses = 64;

class Writer {
public:
    template <class Number>
    void number(Number value)
    {
        static_assert(std::is_integral_v<Number>);
        append(std::as_bytes(std::span(&value, 1)));
    }
    void text(std::string_view value)
    {
        const std::size_t size = std::min<std::size_t>(value.size(), 255);
        number(static_cast<std::uint8_t>(size));
        append(std::as_bytes(std::span(value.substr(0, size))));
    }
    void append(std::span<const std::byte> more) { bytes.insert(bytes.end(), more.begin(), more.end()); }

    std::vector<std::byte> bytes;
};

// Gives zeros once the bytes have run out.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

    std::span<const std::byte> take(std::size_t size)
    {
        failed_ = failed_ || size > rest_.size();
        const auto taken = rest_.first(failed_ ? 0 : size);
        rest_ = rest_.subspan(taken.size());
        return taken;
    }
    template <class Number>
    Number number()
    {
        Number value = 0;
        const auto bytes = take(sizeof value);
        if (!failed_)
            std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    }
    std::string text()
    {
        const auto bytes = take(number<std::uint8_t>());
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    bool failed() const noexcept { return failed_; }
    bool at_end() const noexcept { return !failed_ && rest_.empty(); }

private:
    std::span<const std::byte> rest_;
    bool failed_ = false;
};

}  // namespace

std::vector<std::byte> Card::to_bytes() const
{
    Writer out;
    out.number(kMagic);
    out.number(static_cast<std::uint32_t>(rank));
    out.number(port);
    out.text(host);
    const std::size_t count = std::min(addresses.size(), kMostAddresses);
    out.number(static_cast<std::uint8_t>(count));
    for (const network::HostAddress& entry : std::span(addresses).first(count)) {
        out.number(static_cast<std::uint8_t>(entry.address.size()));
        out.append(std::as_bytes(std::span(entry.address.data(), entry.address.size())));
        out.number(static_cast<std::uint8_t>(entry.prefix));
        out.text(entry.interface);
    }
    return std::move(out.bytes);
}

std::optional<Card> Card::parse(std::span<const std::byte> bytes)
{
    Reader in(bytes);
    if (in.number<std::uint32_t>() != kMagic)
        return std::nullopt;
    Card card;
    card.rank = static_cast<int>(in.number<std::uint32_t>());
    card.port = in.number<std::uint16_t>();
    card.host = in.text();
    const std::size_t count = in.number<std::uint8_t>();
    for (std::size_t i = 0; i < count && !in.failed(); ++i) {
        const std::size_t size = in.number<std::uint8_t>();
        const auto address_bytes = in.take(size);
        const unsigned prefix = in.number<std::uint8_t>();
        std::string interface = in.text();
        if (in.failed())
            return std::nullopt;
        const auto address = network::IpAddress::of_bytes(address_bytes.data(), size);
        if (!address || prefix > address->bits())
            return std::nullopt;
        card.addresses.push_back({*address, prefix, std::move(interface)});
    }
    if (!in.at_end() || card.rank < 0 || card.port == 0 || count > kMostAddresses)
        return std::nullopt;
    return card;
}

}  // namespace tutti::connection
