#include "launcher/this_host.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "lib/network/interfaces.hpp"

namespace tutti::launcher {
namespace {

bool is_own_address(std::string_view text)
{
    // Behind '%' stands the interface by which a link-local address is reached.
    const auto wanted = network::IpAddress::parse(text.substr(0, text.find('%')));
    if (!wanted) {
        return false;
    }
    return std::ranges::any_of(network::local_addresses(),
                               [&](const network::LocalAddress& own) { return own.address == *wanted; });
}

}  // namespace

std::string local_host_name()
{
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0 || name.front() == '\0') {
        return "localhost";
    }
    return name.data();
}

bool is_this_host(std::string_view name)
{
    constexpr std::array<std::string_view, 3> kLoopback = {"localhost", "127.0.0.1", "::1"};
    const std::string own = local_host_name();
    const auto in_domain = [](std::string_view full, std::string_view host) {
        return full.size() > host.size() && full.starts_with(host) && full[host.size()] == '.';
    };
    return std::ranges::find(kLoopback, name) != kLoopback.end() || name == own || in_domain(name, own) ||
           in_domain(own, name) || is_own_address(name);
}

}  // namespace tutti::launcher
