#include "launcher/hosts/hosts.hpp"

#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "lib/foundation/network/interfaces.hpp"

namespace tutti::launcher {
namespace {

bool is_own(const network::IpAddress& address)
{
    return std::ranges::any_of(network::local_addresses(),
                               [&](const network::LocalAddress& own) { return own.address == address; });
}

bool is_own_address(std::string_view text)
{
    // After '%' a link-local address has its interface.
    const auto wanted = network::IpAddress::parse(text.substr(0, text.find('%')));
    return wanted && is_own(*wanted);
}

}  // namespace

std::string local_host_name()
{
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0 || name.front() == '\0')
        return "localhost";
    return name.data();
}

bool is_this_host(std::string_view name)
{
    constexpr std::array<std::string_view, 3> kLoopback = {"localhost", "127.0.0.1", "::1"};
    const std::string own = local_host_name();
    return std::ranges::find(kLoopback, name) != kLoopback.end() || name == own ||
           name == own.substr(0, own.find('.')) || is_own_address(name);
}

bool is_like_this_host(std::string_view name)
{
    const std::string own = local_host_name();
    return name.substr(0, name.find('.')) == own.substr(0, own.find('.'));
}

bool resolves_to_this_host(const std::string& name)
{
    if (network::IpAddress::parse(name))
        return false;  // is_this_host() knows
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;  // or each address comes several times
    addrinfo* list = nullptr;
    if (getaddrinfo(name.c_str(), nullptr, &hints, &list) != 0)
        return false;  // ssh may know the name
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> found(list, freeaddrinfo);
    for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
        const auto address = network::IpAddress::of(*entry->ai_addr);
        if (!address || (!address->is_loopback() && !is_own(*address)))
            return false;
    }
    return true;
}

}  // namespace tutti::launcher
