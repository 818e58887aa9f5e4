#include "launcher/this_host.hpp"

#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace tutti::launcher {
namespace {

/// An address in its shortest spelling; empty for anything else.
std::string canonical_address(std::string_view text)
{
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST;
    addrinfo* list = nullptr;
    std::array<char, NI_MAXHOST> result{};
    if (getaddrinfo(std::string(text).c_str(), nullptr, &hints, &list) == 0) {
        getnameinfo(list->ai_addr, list->ai_addrlen, result.data(), result.size(), nullptr, 0,
                    NI_NUMERICHOST);
        freeaddrinfo(list);
    }
    return result.data();
}

bool is_own_address(std::string_view text)
{
    const std::string wanted = canonical_address(text);
    ifaddrs* list = nullptr;
    if (wanted.empty() || getifaddrs(&list) != 0) {
        return false;
    }
    bool found = false;
    for (const ifaddrs* entry = list; entry != nullptr && !found; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr ||
            (entry->ifa_addr->sa_family != AF_INET && entry->ifa_addr->sa_family != AF_INET6)) {
            continue;
        }
        const socklen_t bytes =
            entry->ifa_addr->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
        std::array<char, NI_MAXHOST> own{};
        found =
            getnameinfo(entry->ifa_addr, bytes, own.data(), own.size(), nullptr, 0, NI_NUMERICHOST) == 0 &&
            wanted == own.data();
    }
    freeifaddrs(list);
    return found;
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
