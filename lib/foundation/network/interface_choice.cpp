#include "lib/foundation/network/interface_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/foundation/base/suggest.hpp"
#include "lib/foundation/settings/settings.hpp"
#include "tutti/error.hpp"

namespace tutti::network {

namespace {

[[noreturn]] void refuse(std::string detail)
{
    throw Error(ErrorCode::invalid_argument, "network", detail);
}

std::string suggest(std::string_view name, std::span<const LocalAddress> all)
{
    std::vector<std::string_view> names;
    for (const LocalAddress& address : all)
        names.push_back(address.interface);
    return base::did_you_mean(name, names);
}

bool is_reachable_by_others(const LocalAddress& address) noexcept
{
    return address.up && !address.isolated_bridge && !address.address.is_loopback() &&
           !address.address.is_link_local();
}

}  // namespace

InterfaceChoice InterfaceChoice::parse(std::string_view text, std::string_view source)
{
    InterfaceChoice choice;
    choice.source_ = source;
    choice.text_ = text;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view entry = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        const auto subnet = Subnet::parse(entry);
        if (entry.empty() || (!subnet && entry.find_first_of("/: ") != std::string_view::npos))
            refuse(
                fmt::format("{}={}: '{}' is neither an interface nor a subnet; write for example eth0, "
                            "10.1.0.0/16 or fd00::/8, separated by commas",
                            source, choice.text_, entry));
        choice.entries_.push_back({std::string(entry), subnet});
    }
    return choice;
}

InterfaceChoice InterfaceChoice::from_settings()
{
    constexpr const char* kVariable = "TUTTI_INTERFACE";
    const char* const text = settings::value_of(kVariable);
    return text == nullptr || *text == '\0' ? InterfaceChoice()
                                            : parse(text, kVariable + settings::origin_of(kVariable));
}

std::vector<LocalAddress> InterfaceChoice::choose(std::span<const LocalAddress> all,
                                                  std::string_view host) const
{
    std::vector<LocalAddress> chosen;
    if (is_automatic())
        std::ranges::copy_if(all, std::back_inserter(chosen), is_reachable_by_others);
    for (const Entry& entry : entries_) {
        // A mistyped name is reported even if another one works; a subnet need not exist on every host.
        if (!entry.subnet &&
            std::ranges::none_of(all, [&](const auto& address) { return entry.fits(address); }))
            refuse(
                fmt::format("{}={}: host {} has no interface '{}' with an address, only {}{}; if "
                            "interface names differ between hosts, name subnets",
                            source_, text_, host, entry.text, describe(all), suggest(entry.text, all)));
        for (const LocalAddress& address : all)
            if (address.up && entry.fits(address) && std::ranges::find(chosen, address) == chosen.end())
                chosen.push_back(address);
    }
    if (!chosen.empty())
        return chosen;
    if (is_automatic())
        refuse(
            fmt::format("host {} has no interface that other hosts can reach, only {}; to use one of these "
                        "anyway, name it in TUTTI_INTERFACE",
                        host, describe(all)));
    refuse(fmt::format("{}={}: host {} has no address there that is up, only {}", source_, text_, host,
                       describe(all)));
}

}  // namespace tutti::network
