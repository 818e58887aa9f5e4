#include "lib/core/process/rank_contact.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "lib/foundation/base/version.hpp"

namespace tutti::detail {

namespace {

// Starts every contact: ranks of another series exchange other data.
const std::string kContactStart = "tutti " + std::string(base::kSeries) + " ";

// An entry besides the transports' names.
constexpr std::string_view kCores = "cores";
constexpr std::string_view kShared = "shared";
constexpr std::string_view kOwn = "own";
constexpr std::string_view kChecked = "checked";

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes)
{
    const auto size = static_cast<std::uint32_t>(bytes.size());
    const auto size_bytes = std::as_bytes(std::span(&size, 1));
    to.insert(to.end(), size_bytes.begin(), size_bytes.end());
    to.insert(to.end(), bytes.begin(), bytes.end());
}

std::span<const std::byte> bytes_of(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

[[noreturn]] void foreign()
{
    throw Error(ErrorCode::protocol, "connect",
                "the peer's contact is of another version of Tutti; start all ranks with the same library");
}

std::span<const std::byte> take(std::span<const std::byte>& from)
{
    std::uint32_t size = 0;
    if (from.size() < sizeof size)
        foreign();
    std::memcpy(&size, from.data(), sizeof size);
    from = from.subspan(sizeof size);
    if (from.size() < size)
        foreign();
    const auto taken = from.first(size);
    from = from.subspan(size);
    return taken;
}

}  // namespace

std::vector<std::byte> make_rank_contact(const std::vector<std::unique_ptr<transport::Transport>>& transports,
                                         bool shares_cores, bool is_checked)
{
    std::vector<std::byte> contact(bytes_of(kContactStart).begin(), bytes_of(kContactStart).end());
    append(contact, bytes_of(kCores));
    append(contact, bytes_of(shares_cores ? kShared : kOwn));
    if (is_checked) {
        append(contact, bytes_of(kChecked));
        append(contact, {});
    }
    for (const auto& transport : transports) {
        append(contact, bytes_of(transport->name()));
        append(contact, transport->address());
    }
    return contact;
}

std::optional<std::span<const std::byte>> find_address(std::span<const std::byte> contact,
                                                       std::string_view name)
{
    const auto version = bytes_of(kContactStart);
    if (contact.size() < version.size() || !std::ranges::equal(contact.first(version.size()), version))
        foreign();
    for (auto rest = contact.subspan(version.size()); !rest.empty();) {
        const auto found_name = take(rest);
        const auto address = take(rest);
        if (std::ranges::equal(found_name, bytes_of(name)))
            return address;
    }
    return std::nullopt;
}

bool is_checked(std::span<const std::byte> contact)
{
    return find_address(contact, kChecked).has_value();
}

bool shares_cores(std::span<const std::byte> contact)
{
    const auto cores = find_address(contact, kCores);
    if (!cores)
        foreign();
    return std::ranges::equal(*cores, bytes_of(kShared));
}

}  // namespace tutti::detail
